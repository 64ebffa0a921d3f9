"""The calls and bindings of a piece of code, found in one walk over its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from autograd_lint.project.code import code_of, given_to
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef
_LEAVING = (ast.Return, ast.Yield, ast.YieldFrom)
_DISPLAYS = (ast.Tuple, ast.List)
_BINDING = {
    *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr),
    *(ast.For, ast.AsyncFor, ast.comprehension, ast.withitem),
}


@dataclass(frozen=True, slots=True)
class Called:
    """A call. `path` is what is called, `owner` what it is a method of, `method` its last name;
    a path is empty where it is no name or chain of attributes."""

    node: ast.Call
    path: str
    owner: str
    method: str

    @property
    def given(self) -> list[ast.expr]:
        """The values of its arguments."""
        return given_to(self.node)


@dataclass(frozen=True, slots=True)
class Bound:
    """A target that gets a value, or the part of it at a position. `path` is the target, or what
    it is an element of."""

    path: str
    target: ast.expr
    value: ast.expr
    statement: ast.AST
    position: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the path itself gets the value, and not an element of it."""
        return isinstance(self.target, (ast.Name, ast.Attribute))


@dataclass(frozen=True, slots=True)
class Body:
    """What stands in a piece of code, inner functions included.

    Calls are in the order in which they are carried out as a rule. `asked` are the names of the
    attributes that it reads or sets, of whatever objects, `dropped` the calls whose results go
    nowhere.
    """

    calls: tuple[Called, ...]
    bindings: tuple[Bound, ...]
    stores: tuple[ast.Name | ast.Attribute, ...]
    results: tuple[ast.expr, ...]
    asked: frozenset[str]
    dropped: tuple[Called, ...]

    def assigned(self) -> Iterator[Bound]:
        """The bindings by plain assignments."""
        return (one for one in self.bindings if isinstance(one.statement, ast.Assign))

    def stored(self, owner: str = "self") -> Iterator[str]:
        """The attributes of an object that are set, each as often as it is."""
        own = (one for one in self.stores if isinstance(one, ast.Attribute))
        return (one.attr for one in own if path_of(one.value) == owner)


def path_of(node: ast.AST) -> str:
    """A name, or a chain of attributes of one, as it is written; empty for anything else."""
    if isinstance(node, ast.Attribute):
        owner = path_of(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return node.id if isinstance(node, ast.Name) else ""


@query
def body(node: ast.AST) -> Body:
    """The calls, bindings and results of a piece of code."""
    calls: list[ast.Call] = []
    names: list[ast.Name | ast.Attribute] = []
    bindings: list[Bound] = []
    results: list[ast.expr] = []
    alone: set[ast.expr] = set()
    for part in walk(node):
        if isinstance(part, (ast.Name, ast.Attribute)):
            names.append(part)
        elif isinstance(part, ast.Call):
            calls.append(part)
        elif isinstance(part, ast.Expr):
            alone.add(part.value)
        elif isinstance(part, _LEAVING):
            results += [part.value] if part.value is not None else []
        elif type(part) in _BINDING:
            bindings += _bound(part)
    called = tuple(map(_called, sorted(calls, key=_end)))
    return Body(
        calls=called,
        bindings=tuple(bindings),
        stores=tuple(name for name in names if isinstance(name.ctx, ast.Store)),
        results=tuple(results),
        asked=frozenset(name.attr for name in names if isinstance(name, ast.Attribute)),
        dropped=tuple(one for one in called if one.node in alone),
    )


def called_of(path: str, node: ast.AST) -> frozenset[str]:
    """The methods that a piece of code calls of a path; an empty name for a call of itself."""
    return _methods(node).get(path, frozenset())


@query
def called_on_self(_: Source, node: ast.AST) -> frozenset[str]:
    """The methods that a function calls of its own object."""
    return called_of("self", node)


@query
def _methods(node: ast.AST) -> dict[str, frozenset[str]]:
    methods: dict[str, set[str]] = {}
    for call in body(node).calls:
        methods.setdefault(call.path, set()).add("")
        methods.setdefault(call.owner, set()).add(call.method)
    return {path: frozenset(names) for path, names in methods.items()}


def parameters_of(function: Function | ast.Lambda) -> list[str]:
    """The names of the parameters of a function that take one argument each."""
    arguments = function.args
    return [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def methods_of(cls: ast.AST) -> list[Function]:
    """The functions that stand in the body of a class."""
    return [one for one in ast.iter_child_nodes(cls) if isinstance(one, Function)]


def method_of(cls: ast.AST | None, name: str) -> Function | None:
    """The one method of a class that has a name; None where there is none, or several."""
    found = [one for one in methods_of(cls) if one.name == name] if cls is not None else []
    return found[0] if len(found) == 1 else None


def _end(call: ast.Call) -> tuple[int, int]:
    """Where a call ends: of calls inside of each other, the inner one is carried out first."""
    return call.end_lineno or 0, call.end_col_offset or 0


def _called(call: ast.Call) -> Called:
    function = call.func
    if isinstance(function, ast.Attribute):
        owner, method = path_of(function.value), function.attr
        return Called(call, f"{owner}.{method}" if owner else "", owner, method)
    return Called(call, path_of(function), "", code_of(function).rpartition(".")[2])


def _bound(node: ast.AST) -> Iterator[Bound]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _unpacked(target, value, node)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _unpacked(target, value, node)
        case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            yield from _unpacked(target, value, node)
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            yield from _unpacked(target, value, node)
        case ast.comprehension(target=target, iter=value):
            yield from _unpacked(target, value, node)
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            yield from _unpacked(target, value, node)


def _unpacked(target: ast.expr, value: ast.expr, statement: ast.AST) -> Iterator[Bound]:
    """The bindings of a target; `a, b = c, d` is two of them."""
    parts = target.elts if isinstance(target, _DISPLAYS) else []
    given = value.elts if isinstance(value, _DISPLAYS) and isinstance(statement, ast.Assign) else []
    if parts and len(parts) == len(given):
        for part, one in zip(parts, given, strict=True):
            yield from _unpacked(part, one, statement)
    elif parts:
        for position, part in enumerate(parts):
            for inner in _unpacked(part, value, statement):
                whole = inner.target is part and not isinstance(part, ast.Starred)
                yield replace(inner, position=position if whole else None)
    else:
        owner = target
        while isinstance(owner, (ast.Subscript, ast.Starred)):
            owner = owner.value
        yield Bound(path_of(owner), target, value, statement)
