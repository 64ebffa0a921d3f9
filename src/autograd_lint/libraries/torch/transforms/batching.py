"""Inside of `vmap`: what cannot be done for all elements of a batch at once.

What differs from element to element is marked as what requires grad is elsewhere (`transforms.py`);
what comes of it without a graph, such as a comparison, has its graph broken.
"""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.vm.contents import elements
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Slice, Value

# Operators whose results are as long as the values of their first argument say.
DYNAMIC = {"nonzero", "argwhere", "unique", "unique_consecutive", "masked_select"}
RANDOM = {
    *("rand", "randn", "randint", "randperm", "normal", "bernoulli", "multinomial"),
    *("rand_like", "randn_like", "randint_like", "dropout", "normal_", "uniform_"),
}


def differs(interp: Interpreter, value: Value) -> bool:
    """Whether a tensor differs from one element of a batch to another."""
    if not interp.engine.transform.batched or not isinstance(value, Tensor):
        return False
    return value.requires_grad is not None or bool(value.graph_breaks)


def refuse_number(interp: Interpreter, value: Value, node: ast.AST, operator: str) -> None:
    """Report one number that is asked of what is many."""
    if isinstance(value, Tensor) and differs(interp, value):
        _refuse(interp, value, node, operator, "one number is asked for, each element has its own")


def refuse_condition(interp: Interpreter, value: Value, node: ast.AST) -> None:
    """Report a condition that holds for some elements and not for others."""
    if isinstance(value, Tensor) and differs(interp, value):
        _refuse(interp, value, node, "if", "control flow cannot depend on values of the batch")


def refuse_length(interp: Interpreter, value: Value, node: ast.AST, operator: str) -> None:
    """Report a result whose length depends on values."""
    if isinstance(value, Tensor) and differs(interp, value):
        _refuse(interp, value, node, operator, "the length of the result depends on values")


def refuse_indices(interp: Interpreter, tensor: Tensor, index: Value, node: ast.AST) -> None:
    """Report more indices than one element of the batch has dimensions: it is written for all."""
    if not interp.engine.transform.batched or tensor.shape is None:
        return
    parts = elements(index, "tuple")
    counted = [part for part in parts if isinstance(part, (int, Slice)) and part is not True]
    if len(counted) > len(tensor.shape) and len(counted) == len(parts):
        size = len(tensor.shape)
        detail = f"too many indices for one element of the batch, which has {size} dimension"
        _refuse(interp, tensor, node, "indexing", f"{detail}{'s' * (size != 1)}")


def refuse_random(interp: Interpreter, node: ast.AST, operator: str) -> None:
    """Report random numbers where `randomness` has not been said."""
    if interp.engine.transform.batched and interp.engine.transform.randomness == "error":
        refuse(interp, node, operator, "vmap: random numbers need `randomness=` to be given")


def judge_operator(interp: Interpreter, name: str, value: Value, node: ast.AST) -> None:
    """Report an operator that does not work on what differs."""
    last = name.rpartition(".")[2]
    if last in DYNAMIC:
        refuse_length(interp, value, node, last)
    elif last in RANDOM:
        refuse_random(interp, node, last)


def _refuse(interp: Interpreter, tensor: Tensor, node: ast.AST, operator: str, detail: str) -> None:
    refuse(interp, node, operator, f"vmap: {detail}", tensor=tensor.name)
