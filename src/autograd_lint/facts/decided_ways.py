"""What a decision in a function changes behind it, and what the way to a statement there asks for.

if old:
    log_p = log_softmax(x)         # `log_p` hangs on it, and what is computed from that
else:
    log_p = log_softmax(x, 1)
if averaged:
    loss /= count                  # whether this is reached does not
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from autograd_lint.facts.callers import covers
from autograd_lint.facts.imported_names import names_of_imports
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import statements, walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_NO_VALUES = frozenset({"self", "cls", "print"})


def changed_by(source: Source, function: ast.AST, row: int) -> Set[str] | None:
    """The names and attributes that hang on what the function decides on that row; None where it
    may leave there, so that everything behind hangs on it."""
    around = _around(function, row)
    if not around or _leaves(around[-1]):
        return None
    apart = _NO_VALUES | names_of_imports(source)
    found = set(_changed(around[-1])) - apart
    while more := {
        name
        for one in _inside(function)
        if not found.isdisjoint(_asked(one))
        for name in _changed(one)
        if name not in found and name not in apart
    }:
        found |= more
    return found


def asked_on_way(function: ast.AST, row: int, decided: int) -> Set[str] | None:
    """The names and attributes of the conditions on the way to the statement on that row, behind
    what is decided on another one; None where the way is not one of conditions alone."""
    found, deciding = set[str](), _around(function, decided)
    for one in _around(function, row):
        if one in deciding[-1:] or isinstance(one, _FUNCTIONS) or _is_handled(one, row):
            return None
    for one in _inside(function):
        holds = covers(one, row) and hasattr(one, "body")
        behind = one.lineno < row and one not in deciding and _leaves(one)
        if holds or behind:
            found |= _asked(one)
    return found


def _is_handled(node: ast.stmt, row: int) -> bool:
    """Whether a row stands in what handles exceptions of a statement."""
    return isinstance(node, ast.Try) and not any(covers(one, row) for one in node.body)


def _around(function: ast.AST, row: int) -> list[ast.stmt]:
    """The statements of a function that a row stands in, the innermost last."""
    return [one for one in _inside(function) if covers(one, row)]


def _inside(function: ast.AST) -> list[ast.stmt]:
    """The statements of a function, those around others before them."""
    return [one for one in statements(function) if one is not function]


@query
def _leaves(node: ast.stmt) -> bool:
    """Whether a loop or function is left in a statement."""
    return any(isinstance(part, _LEAVING) for part in walk(node))


@query
def _asked(node: ast.stmt) -> frozenset[str]:
    """The names and attributes that stand in a statement, in its head alone where it holds others:
    what it changes hangs on these."""
    held = {id(one) for one in statements(node)} - {id(node)}
    heads = [part for part in ast.iter_child_nodes(node) if id(part) not in held]
    return frozenset(name for head in heads for name in _names(head))


@query
def _changed(node: ast.stmt) -> frozenset[str]:
    """The names and attributes that a statement binds, and those of objects that it hands to calls
    for what these do to them."""
    return frozenset(_found(node))


def _found(node: ast.stmt) -> Iterator[str]:
    for part in walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, (ast.Store, ast.Del)):
            yield part.id
        elif isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.ctx, ast.Store):
            yield from _names(part)
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            yield from _names(part.value) if code_of(part.value.func) != "print" else ()


def _names(node: ast.AST) -> Iterator[str]:
    for part in walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr
