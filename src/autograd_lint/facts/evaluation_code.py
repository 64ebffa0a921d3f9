"""Code that a module comes to outside of its training mode alone."""

from __future__ import annotations

import ast
import re
from itertools import takewhile

from autograd_lint.project.code import code_of
from autograd_lint.project.mentions import Mention
from autograd_lint.project.query import query

_LOSS = re.compile(r"Loss$")  # as PyTorch names them


def is_evaluating(site: Mention) -> bool:
    """Whether a mention stands on the side of `self.training` that is not training, or after all
    that a module does in training.

    Where one side of another condition returns a loss, that is the side for training.
    """
    inner = [*site.around[1:], site.node]
    cls = next((one for one in site.around if isinstance(one, ast.ClassDef)), None)
    losses = _losses(cls) if cls is not None else frozenset()
    return any(
        _is_side(node, child, losses) or _is_left_before(node, child, losses)
        for node, child in zip(site.around, inner, strict=True)
    )


@query
def _losses(cls: ast.AST) -> frozenset[str]:
    """The attributes of an object that are losses by the names of their classes."""
    made = [node for node in ast.walk(cls) if isinstance(node, ast.Assign)]
    calls = [one for one in made if isinstance(one.value, ast.Call)]
    return frozenset(
        code_of(target)
        for one in calls
        for target in one.targets
        if isinstance(one.value, ast.Call) and _LOSS.search(code_of(one.value.func))
    )


def _is_side(node: ast.AST, child: ast.AST, losses: frozenset[str]) -> bool:
    if not isinstance(node, ast.If) or child is node.test:
        return False
    trains = _trains(node, losses)
    return trains is not None and (child in node.body) is not trains


def _is_left_before(node: ast.AST, child: ast.AST, losses: frozenset[str]) -> bool:
    """Whether a module in training leaves a block of statements before it comes to one of them."""
    blocks = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    for block in blocks:
        if isinstance(block, list) and child in block:
            before = takewhile(lambda one: one is not child, block)
            told = frozenset() if _returns_loss(block, losses) else losses
            return any(_leaves(one, told) for one in before)
    return False


def _leaves(statement: ast.stmt, losses: frozenset[str]) -> bool:
    trains = _trains(statement, losses) if isinstance(statement, ast.If) else None
    if not isinstance(statement, ast.If) or trains is None:
        return False
    taken = statement.body if trains else statement.orelse
    return bool(taken) and isinstance(taken[-1], (ast.Return, ast.Raise))


def _trains(node: ast.If, losses: frozenset[str]) -> bool | None:
    """Whether the body of an `if` is for training, or what is done else; None for neither."""
    asks = _asks(node.test)
    if asks is not None:
        return asks
    body, other = _returns_loss(node.body, losses), _returns_loss(node.orelse, losses)
    return body if body is not other else None


def _returns_loss(block: list[ast.stmt], losses: frozenset[str]) -> bool:
    last = block[-1] if block else None
    value = last.value if isinstance(last, ast.Return) else None
    return isinstance(value, ast.Call) and code_of(value.func) in losses


def _asks(test: ast.expr) -> bool | None:
    """Whether a condition asks for training mode, or for the contrary; None for neither."""
    contrary = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    asked = test.operand if isinstance(test, ast.UnaryOp) else test
    return not contrary if code_of(asked) == "self.training" else None
