"""Conditions that decide what a name is bound to which a statement behind writes in place.

shift = operand.detach()
if reduced:
    shift = shift.max(0)[0]
shift.clamp_(min=low)       # writes the operand itself where nothing was reduced
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from autograd_lint.facts.tensor_writes import rows_within, writing_rows
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

Branch = ast.If | ast.IfExp
Function = ast.FunctionDef | ast.AsyncFunctionDef


@query
def deciding_branches(source: Source, node: ast.AST) -> tuple[tuple[Branch, ast.stmt], ...]:
    """The conditions of a function that bind such a name, each with the statement that writes it.

    A statement on one side of a condition is not behind it.
    """
    if not isinstance(node, Function) or not rows_within(writing_rows(source), node):
        return ()
    ifs = (one for one in walk(node) if isinstance(one, ast.If))
    branches = [*((one, frozenset(_bound(one))) for one in ifs), *_expressions(node)]
    return tuple(
        (branch, statement)
        for statement in writing(source, node)
        for branch, names in branches
        if _last(branch) < statement.lineno and written_name(statement) in names
    )


@query
def writing(source: Source, node: Function) -> tuple[ast.stmt, ...]:
    """The statements of a function that write to what a name is bound to."""
    rows = rows_within(writing_rows(source), node)
    found = (one for one in walk(node) if isinstance(one, ast.stmt) and written_name(one))
    return tuple(one for one in found if not rows.isdisjoint(range(one.lineno, _last(one) + 1)))


def written_name(statement: ast.AST) -> str:
    """The name of what a statement writes to; empty where it writes to nothing that has one."""
    match statement:
        case ast.AugAssign(target=target):
            return _root(target)
        case ast.Assign(targets=[ast.Subscript() as target]):
            return _root(target)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=method))):
            return _root(target) if method.endswith("_") else ""
    return ""


def _root(target: ast.expr) -> str:
    while isinstance(target, ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def _bound(branch: ast.If) -> Iterator[str]:
    """The names that the sides of a condition bind anew."""
    for one in walk(branch):
        if isinstance(one, ast.Assign):
            yield from _names(one.targets)


def _expressions(node: Function) -> Iterator[tuple[Branch, frozenset[str]]]:
    """The conditional expressions of a function that a name is bound to, each with the names."""
    for one in walk(node):
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.IfExp):
            yield one.value, frozenset(_names(one.targets))


def _names(targets: Iterable[ast.expr]) -> Iterator[str]:
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id
        elif isinstance(target, ast.Tuple):
            yield from _names(target.elts)


def _last(node: ast.stmt | ast.expr) -> int:
    return node.end_lineno or node.lineno
