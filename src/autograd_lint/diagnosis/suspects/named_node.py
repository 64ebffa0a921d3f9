"""Whether the node that a message names is the one of the tensor that a statement writes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.diagnosis import nodes
from autograd_lint.diagnosis.fitting import Fit
from autograd_lint.diagnosis.suspects.code import (
    ALIASES,
    Line,
    called,
    is_made_quietly,
    made,
    set_elsewhere,
    spelt,
)
from autograd_lint.diagnosis.suspects.writing import writers
from autograd_lint.operators.table import load

FRESH = re.compile(
    r"^(?:zeros|ones|empty|full|rand|randn)(?:_like)?$|^new_\w+$|^(?:arange|eye|tensor|linspace)$"
)
OF_WEIGHTS = frozenset({"t", "asstrided", "transpose", "permute"})  # and of other views


def of_node(line: Line, name: str, origin: ast.expr | None, node: str) -> Iterator[Fit]:
    """Whether the node that the message names is the one that the tensor has by then.

    A result that an operator keeps for itself has the node of that operator. Any other tensor that
    was kept has the node of what wrote it last, and where no gradients were recorded that of what
    made it (torch/csrc/autograd/saved_variable.cpp; before torch 1.10 always that of what made it).
    """
    elsewhere = set_elsewhere(line, name) if origin is None else []
    if line.quiet and name and is_made_quietly(line, name):
        yield Fit("node", False, f"`{name}` was made where nothing is recorded: no node", 0.05)
        return
    origin = _behind_aliases(line, origin)
    makers = [one for value in (origin, *elsewhere) for one in called(value)]
    made_so = [one for one in makers if nodes.same(node, one)]
    if made_so and (line.quiet or node.lower() in OF_WEIGHTS or any(map(keeps_result, made_so))):
        yield Fit("node", True, f"`{name}` is made by what makes the node {node}", 8.0)
    elif any(nodes.same(node, one) for one in writers(line)) and not line.quiet:
        yield Fit("node", True, f"the write itself makes the node {node}", 8.0)
    elif made_so:
        yield Fit("node", True, f"`{name}` was made by what makes the node {node}", 2.0)
    elif not elsewhere and _makes_other(makers, node):
        yield Fit("node", False, f"`{name}` is not made by what makes the node {node}", 0.25)


def _makes_other(makers: list[str], node: str) -> bool:
    """Whether operators are at work, and none of them makes the node."""
    operators = [one for one in makers if one not in ALIASES and is_operator(one)]
    return bool(operators) and all(nodes.same(node, one) is False for one in operators)


def _behind_aliases(line: Line, value: ast.expr | None) -> ast.expr | None:
    """What a tensor was computed by that a value is a view of, or the tensor itself."""
    name = spelt(value)
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in ALIASES:
            return value
        value = value.func.value
        name = spelt(value)
    return made(line, name) if name else value


def without_node(line: Line, name: str, makers: list[str]) -> Iterator[Fit]:
    """The message names no node: the tensor is no result of an operator that was recorded."""
    if makers and not FRESH.match(makers[0]) and is_operator(makers[0]):
        said = f"`{makers[0]}` makes a node, where what it is given requires grad"
        yield Fit("node", False, said, 0.5)
    elif (makers and FRESH.match(makers[0])) or name.startswith("self."):
        yield Fit("node", True, f"`{name}` may be a buffer or data, which has no node", 1.5)


def is_operator(name: str) -> bool:
    """Whether an operator of torch, a function or a method of tensors, has that name."""
    found = load().find(f"torch.{name}") or load().find(f"torch.nn.functional.{name}")
    return found is not None or load().is_tensor_method(name)


def keeps_result(operator: str) -> bool:
    """Whether an operator keeps its own result for backward, as the table has it."""
    found = load().find(f"torch.{operator}") or load().find(f"torch.nn.functional.{operator}")
    return found is not None and any(save.is_result for form in found.forms for save in form.saves)
