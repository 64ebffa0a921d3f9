"""What computes the value that backward begins at: also where methods hand it to each other."""

from __future__ import annotations

import ast
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace

_TAKING = {"get", "pop"}  # by which an entry is taken out of a dictionary
_DEPTH = 12  # hands through which a value goes

Def = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class _Part:
    """A value in a function; `wanted` is a position or a key of it, None for all of it."""

    value: ast.expr
    wanted: Hashable
    node: ast.AST


def name_of(node: ast.AST) -> str | None:
    """`x` or `self.x`, as a name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"self.{node.attr}" if node.value.id == "self" else None
    return None


def computing(nodes: Iterable[ast.AST], roots: Collection[ast.expr]) -> set[str]:
    """The names whose calls give the `roots`, in functions that belong together."""
    nodes = list(nodes)
    ways = _Ways(nodes)
    return {
        name
        for node in nodes
        for part in ast.walk(node)
        if part in roots and isinstance(part, ast.expr)
        for name in ways.called(_Part(part, None, node), _DEPTH)
    }


class _Ways:
    """Where the names of some functions get their values, and what those functions return."""

    def __init__(self, nodes: list[ast.AST]) -> None:
        self.functions = {f"self.{n.name}": n for n in nodes if isinstance(n, Def)}
        self.given: dict[object, list[_Part]] = {}
        for node in nodes:
            for part in ast.walk(node):
                if isinstance(part, ast.Assign):
                    for target in part.targets:
                        self._assigned(target, part.value, node)
                elif isinstance(part, ast.Call):
                    self._handed(part, node)

    def _assigned(self, target: ast.expr, value: ast.expr, node: ast.AST) -> None:
        targets = enumerate(target.elts) if isinstance(target, ast.Tuple) else [(None, target)]
        for position, one in targets:
            self._gets(one, _Part(value, position, node), node)

    def _handed(self, call: ast.Call, node: ast.AST) -> None:
        """What a function of those is called with its parameters mean."""
        function = self.functions.get(name_of(call.func) or "")
        if function is not None:
            parameters = [parameter.arg for parameter in function.args.args[1:]]
            pairs = [*zip(parameters, call.args, strict=False)]
            pairs += [(one.arg, one.value) for one in call.keywords if one.arg in parameters]
            for name, value in pairs:
                self._gets(ast.Name(name), _Part(value, None, node), function)

    def _gets(self, target: ast.expr, part: _Part, node: ast.AST) -> None:
        key = _key(target, node)
        if key is not None:
            self.given.setdefault(key, []).append(part)

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
            yield name_of(value.func) or ""
            inner = list(self._behind(value, part))
        elif (key := _key(value, node)) is not None:
            known = self.given.get(key, ())
            inner = [replace(one, wanted=wanted) if one.wanted is None else one for one in known]
        else:
            parts = ast.iter_child_nodes(value)
            inner = [_Part(child, None, node) for child in parts if isinstance(child, ast.expr)]
        for one in inner:
            yield from self.called(one, depth - 1)

    def _behind(self, call: ast.Call, part: _Part) -> Iterator[_Part]:
        """What the result of a call is a part of, or returned by."""
        function = self.functions.get(name_of(call.func) or "")
        for returned in ast.walk(function) if function is not None else ():
            if isinstance(returned, ast.Return) and returned.value is not None:
                assert function is not None
                yield _Part(returned.value, part.wanted, function)
        if isinstance(call.func, ast.Attribute) and function is None:
            takes = call.func.attr in _TAKING and call.args
            yield _Part(call.func.value, _constant(call.args[0]) if takes else None, part.node)


def _key(target: ast.expr, node: ast.AST) -> object:
    """A name of a function, or an attribute of the object."""
    name = name_of(target)
    return name if name is None or name.startswith("self.") else (node, name)


def _constant(node: ast.expr | None) -> Hashable:
    return node.value if isinstance(node, ast.Constant) else None
