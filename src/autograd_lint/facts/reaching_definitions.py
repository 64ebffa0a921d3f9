"""What computes the value that backward begins at: also where methods hand it to each other."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from autograd_lint.facts.body import Called, Function, body, parameters_of, path_of

_TAKING = {"get", "pop"}  # by which an entry is taken out of a dictionary
_DEPTH = 12  # hands through which a value goes


@dataclass(frozen=True, slots=True)
class _Part:
    """A value in a function; `wanted` is a position or a key of it, None for all of it."""

    value: ast.expr
    wanted: Hashable
    node: ast.AST


def computing(nodes: Iterable[ast.AST], roots: AbstractSet[ast.expr]) -> set[str]:
    """The names whose calls give the `roots`, in functions that belong together."""
    nodes = list(nodes)
    reaching = _Reaching(nodes)
    return {
        name
        for node in nodes
        for root in roots & set(ast.walk(node))
        for name in reaching.called(_Part(root, None, node), _DEPTH)
    }


class _Reaching:
    """Where the names of some functions get their values, and what those functions return."""

    def __init__(self, nodes: list[ast.AST]) -> None:
        self.functions = {f"self.{n.name}": n for n in nodes if isinstance(n, Function)}
        self.given: dict[object, list[_Part]] = {}
        for node in nodes:
            for bound in body(node).assigned():
                if bound.is_whole:
                    self._gets(bound.path, _Part(bound.value, bound.position, node), node)
            for call in body(node).calls:
                self._handed(call, node)

    def _handed(self, call: Called, node: ast.AST) -> None:
        """What a function of those is called with its parameters mean."""
        function = self.functions.get(call.path)
        if function is not None:
            parameters = parameters_of(function)[1:]
            pairs = [*zip(parameters, call.node.args, strict=False)]
            pairs += [(one.arg, one.value) for one in call.node.keywords if one.arg in parameters]
            for name, value in pairs:
                self._gets(name, _Part(value, None, node), function)

    def _gets(self, path: str, part: _Part, node: ast.AST) -> None:
        self.given.setdefault(_key(path, node), []).append(part)

    def called(self, part: _Part, depth: int) -> Iterator[str]:
        """The names that are called for a part of a value, but not for an argument of such a call.

        A position goes into a tuple, a key into a dictionary; of other values it is all the same.
        """
        value, wanted, node = part.value, part.wanted, part.node
        inner: list[_Part] = []
        if depth == 0:
            return
        if isinstance(value, ast.Tuple) and isinstance(wanted, int) and wanted < len(value.elts):
            inner = [_Part(value.elts[wanted], None, node)]
        elif isinstance(value, ast.Dict) and wanted in (keys := list(map(_constant, value.keys))):
            inner = [_Part(value.values[keys.index(wanted)], None, node)]
        elif isinstance(value, ast.Subscript):
            inner = [_Part(value.value, _constant(value.slice), node)]
        elif isinstance(value, ast.Call):
            yield path_of(value.func)
            inner = list(self._behind(value, part))
        elif path := path_of(value):
            known = self.given.get(_key(path, node), ())
            inner = [replace(one, wanted=wanted) if one.wanted is None else one for one in known]
        else:
            parts = ast.iter_child_nodes(value)
            inner = [_Part(child, None, node) for child in parts if isinstance(child, ast.expr)]
        for one in inner:
            yield from self.called(one, depth - 1)

    def _behind(self, call: ast.Call, part: _Part) -> Iterator[_Part]:
        """What the result of a call is a part of, or returned by."""
        function = self.functions.get(path_of(call.func))
        if function is not None:
            yield from (_Part(value, part.wanted, function) for value in body(function).results)
        elif isinstance(call.func, ast.Attribute):
            takes = call.func.attr in _TAKING and call.args
            yield _Part(call.func.value, _constant(call.args[0]) if takes else None, part.node)


def _key(path: str, node: ast.AST) -> object:
    """A name of a function, or an attribute of the object."""
    return path if path.startswith("self.") else (node, path)


def _constant(node: ast.expr | None) -> Hashable:
    return node.value if isinstance(node, ast.Constant) else None
