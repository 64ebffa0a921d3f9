"""Functions that compute a new value of what they are given, and return nothing.

def freeze(gradient):
    gradient = gradient * mask       # a hook wants `return gradient * mask`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.project.nodes import walk


def value_lost_in(node: ast.AST) -> ast.Assign | None:
    """The statement that a function without a result ends with, where it binds an argument, or a
    name that nothing reads, to what was computed from one."""
    if not isinstance(node, ast.FunctionDef):
        return None
    if any(isinstance(one, (ast.Yield, ast.Nonlocal, ast.Global)) for one in walk(node)):
        return None
    returns = (one.value for one in walk(node) if isinstance(one, ast.Return))
    if any(value is not None for value in returns):
        return None
    arguments = {one.arg for one in node.args.args}
    names = [one for one in walk(node) if isinstance(one, ast.Name)]
    read = {one.id for one in names if isinstance(one.ctx, ast.Load)}
    for one in _last_of(node.body):
        if _rebinds(one, arguments) or _is_idle(one, arguments, read):
            return one
    return None


def _last_of(body: list[ast.stmt]) -> Iterator[ast.Assign]:
    """The assignments that a block may end with."""
    last = body[-1] if body else None
    if isinstance(last, ast.Assign):
        yield last
    elif isinstance(last, (ast.If, ast.With)):
        yield from _last_of(last.body)
        yield from _last_of(last.orelse) if isinstance(last, ast.If) else ()


def _rebinds(assign: ast.Assign, arguments: set[str]) -> bool:
    """Whether an argument becomes what was computed from it."""
    target = assign.targets[0]
    if not isinstance(target, ast.Name) or target.id not in arguments:
        return False
    if isinstance(assign.value, (ast.Subscript, ast.Attribute)):
        return False  # a part of it, not a new value
    return any(isinstance(one, ast.Name) and one.id == target.id for one in walk(assign.value))


def _is_idle(assign: ast.Assign, arguments: set[str], read: set[str]) -> bool:
    """Whether a name that nothing reads becomes a product or a sum of an argument."""
    targets = assign.targets
    if not all(isinstance(one, ast.Name) and one.id not in read for one in targets):
        return False
    return any(isinstance(one, ast.Name) and one.id in arguments for one in _operands(assign.value))


def _operands(value: ast.expr) -> Iterator[ast.expr]:
    """What an expression adds up or multiplies; nothing where it is no such expression."""
    parts: list[ast.expr] = []
    if isinstance(value, ast.UnaryOp):
        parts = [value.operand]
    elif isinstance(value, ast.BinOp):
        parts = [value.left, value.right]
    for one in parts:
        yield one
        yield from _operands(one)
