"""Stores to elements of what a function has made itself: a dictionary, or a tensor that it fills
with numbers before anything reads it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autograd_lint.facts.body import Function, body, parameters_of
from autograd_lint.facts.plain_values import Scope, is_plain
from autograd_lint.project.code import called_name
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query

_DICTIONARIES = frozenset({"dict", "OrderedDict", "defaultdict"})
_NEW = frozenset({"zeros", "ones", "empty", "full"})
_NEW |= {f"{name}_like" for name in _NEW} | {f"new_{name}" for name in _NEW}
_MOVING = frozenset({"to", "cuda", "cpu", "long", "bool", "int", "float"})
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def is_local(store: ast.Subscript, value: ast.expr, scope: Scope) -> bool:
    """Whether a store to an element writes no tensor that a graph may have saved: it enters
    something into a dictionary, or a number into a tensor without a graph, and nobody has seen
    either before."""
    name = store.value.id if isinstance(store.value, ast.Name) else ""
    made = _made(scope.function).get(name, ())
    if not made:
        return False
    if all(map(_makes_dictionary, made)):
        return True
    return all(map(_makes_tensor, made)) and is_plain(value, scope) and _fills(name, scope.function)


@query
def _made(function: ast.AST) -> dict[str, list[ast.expr]]:
    """What each name of a function is bound to, those of its parameters left out."""
    inner = (part for part in walk(function) if isinstance(part, Function | ast.Lambda))
    given = {name for part in inner for name in parameters_of(part)}
    found: dict[str, list[ast.expr]] = {}
    for one in body(function).bindings:
        if one.is_whole and one.path not in given:
            plain = isinstance(one.statement, (ast.Assign, ast.AnnAssign)) and one.position is None
            found.setdefault(one.path, []).append(one.value if plain else one.target)
    return found


def _makes_dictionary(value: ast.expr) -> bool:
    return isinstance(value, ast.Dict) or called_name(value) in _DICTIONARIES


def _makes_tensor(value: ast.expr) -> bool:
    """Whether an expression makes a tensor that requires no grad, on whatever device."""
    while called_name(value) in _MOVING and isinstance(value, ast.Call):
        value = value.func.value if isinstance(value.func, ast.Attribute) else value.func
    if not isinstance(value, ast.Call) or called_name(value) not in _NEW:
        return False
    return not any(one.arg in (None, "requires_grad", "out") for one in value.keywords)


def _fills(name: str, function: ast.AST) -> bool:
    """Whether all stores to elements of what has a name come before all that read it."""
    parts = list(walk(function))
    stores = [one for one in parts if isinstance(one, ast.Subscript) and _is_store(one, name)]
    owners = {id(one.value) for one in stores}
    reads = [one for one in parts if isinstance(one, ast.Name) and _is_read(one, name, owners)]
    last = max((one.lineno for one in stores), default=0)
    loops = (one for one in parts if isinstance(one, _LOOPS))
    return all(one.lineno > last for one in reads) and not any(
        _holds(loop, stores) and _holds(loop, reads) for loop in loops
    )


def _is_store(node: ast.Subscript, name: str) -> bool:
    owner = node.value
    return isinstance(node.ctx, ast.Store) and isinstance(owner, ast.Name) and owner.id == name


def _is_read(node: ast.Name, name: str, owners: set[int]) -> bool:
    return node.id == name and isinstance(node.ctx, ast.Load) and id(node) not in owners


def _holds(loop: ast.stmt, nodes: Sequence[ast.expr]) -> bool:
    rows = range(loop.lineno, (loop.end_lineno or loop.lineno) + 1)
    return any(one.lineno in rows for one in nodes)
