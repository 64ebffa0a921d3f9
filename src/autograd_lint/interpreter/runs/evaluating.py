"""Code that a module comes to outside of its training mode alone."""

from __future__ import annotations

import ast
from itertools import takewhile

from autograd_lint.interpreter.python.code import code_of
from autograd_lint.project.mentions import Mention


def is_evaluating(site: Mention) -> bool:
    """Whether a mention stands on the side of `self.training` that is not training, or after all
    that a module does in training."""
    inner = [*site.around[1:], site.node]
    return any(
        _is_side(node, child) or _is_left_before(node, child)
        for node, child in zip(site.around, inner, strict=True)
    )


def _is_side(node: ast.AST, child: ast.AST) -> bool:
    if not isinstance(node, ast.If) or child is node.test:
        return False
    trains = _asks(node.test)
    return trains is not None and (child in node.body) is not trains


def _is_left_before(node: ast.AST, child: ast.AST) -> bool:
    """Whether a module in training leaves a block of statements before it comes to one of them."""
    blocks = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    for block in blocks:
        if isinstance(block, list) and child in block:
            return any(map(_leaves, takewhile(lambda one: one is not child, block)))
    return False


def _leaves(statement: ast.stmt) -> bool:
    trains = _asks(statement.test) if isinstance(statement, ast.If) else None
    if not isinstance(statement, ast.If) or trains is None:
        return False
    taken = statement.body if trains else statement.orelse
    return bool(taken) and isinstance(taken[-1], (ast.Return, ast.Raise))


def _asks(test: ast.expr) -> bool | None:
    """Whether a condition asks for training mode, or for the contrary; None for neither."""
    contrary = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    asked = test.operand if isinstance(test, ast.UnaryOp) else test
    return not contrary if code_of(asked) == "self.training" else None
