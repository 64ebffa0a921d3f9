"""Statements without effect: a method that is named and not called, a result that is dropped."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.reading import is_a
from autograd_lint.live.source import place_in, tree_of

# The methods that are there to be called, by the class that has them.
_METHODS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (torch.Tensor, ("backward", "detach_", "requires_grad_", "retain_grad", "zero_")),
    (torch.nn.Module, ("eval", "train", "zero_grad")),
    (torch.optim.Optimizer, ("step", "zero_grad")),
)
_LEAVING = (ast.Break, ast.Continue, ast.Raise, ast.Return)
Found = tuple[ast.Expr, list[ast.stmt]]


class Statements(Family):
    """Looks at the main file."""

    __slots__ = ("_told",)

    def __init__(self, told: Told) -> None:
        self._told = told

    def at_end(self) -> None:
        """The program has run to its end."""
        _look_at_statements(self._told)


def _look_at_statements(told: Told) -> None:
    """Which statements of the main file have done nothing?"""
    main = sys.modules.get("__main__")
    filename = str(Path(getattr(main, "__file__", None) or "").absolute())
    tree = tree_of(filename) if told.sites.is_user_file(filename) else None
    if main is None or tree is None:
        return
    rows = told.sites.rows_of(filename)
    for expression, block in _expressions(tree.body):
        if block is tree.body or _has_run(expression, block, rows):
            _judge(expression.value, filename, vars(main), told)


def _judge(node: ast.expr, filename: str, variables: dict[str, Any], told: Told) -> None:
    is_call = isinstance(node, ast.Call)
    method = node.func if isinstance(node, ast.Call) else node
    if not isinstance(method, ast.Attribute):
        return
    owner, name = _value(method.value, variables), method.attr
    if not is_call and any(is_a(owner, kind) and name in names for kind, names in _METHODS):
        told.tell(Pitfall.NOT_CALLED, place_in(filename, node), operator=name)
    elif is_call and is_a(owner, torch.Tensor) and has_twin(name):
        told.tell(Pitfall.RESULT_DROPPED, place_in(filename, node), operator=name)


def has_twin(name: str) -> bool:
    """Whether a method gives a new tensor, and another one writes the old one."""
    return not name.endswith("_") and callable(getattr(torch.Tensor, f"{name}_", None))


def _value(node: ast.expr, variables: dict[str, Any]) -> Any:
    """A variable of the main file, or the gradient of a leaf; None for what would run code."""
    if isinstance(node, ast.Name):
        return variables.get(node.id)
    if isinstance(node, ast.Attribute) and node.attr == "grad":
        owner = _value(node.value, variables)
        return owner.grad if is_a(owner, torch.Tensor) and owner.is_leaf else None
    return None


def _expressions(block: list[ast.stmt]) -> Iterator[Found]:
    """The expressions that are statements, outside of functions and classes, with their blocks."""
    for statement in block:
        if isinstance(statement, ast.Expr):
            yield statement, block
        elif isinstance(statement, (ast.For, ast.While, ast.With)):
            yield from _expressions(statement.body)


def _has_run(expression: ast.Expr, block: list[ast.stmt], rows: Sequence[int]) -> bool:
    """Whether something after it in its block has run, or before it and nothing leaves there."""
    at = block.index(expression)
    before = [node for one in block[:at] for node in ast.walk(one)]
    leaves = any(isinstance(node, _LEAVING) for node in before)
    reached = block[at + 1 :] if leaves else block
    ends = [(one.lineno, one.end_lineno or one.lineno) for one in reached]
    return any(first <= row <= last for row in rows for first, last in ends)
