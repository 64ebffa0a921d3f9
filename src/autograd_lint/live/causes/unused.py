"""A gradient asked for with respect to a tensor that the root does not depend on."""

from dataclasses import replace
from typing import Any

import torch

from autograd_lint.engine.faults import Fault
from autograd_lint.live.failure import Failure, made
from autograd_lint.live.record import Record


def of_unused(failure: Failure, record: Record) -> Fault:
    """The fault, with the first input that no path leads to, and where that was made."""
    inputs = failure.inputs if isinstance(failure.inputs, (list, tuple)) else (failure.inputs,)
    tensors = [one for one in inputs if isinstance(one, torch.Tensor)]
    nodes = failure.nodes()
    unused = next((one for one in tensors if not _is_reached(one, nodes)), None)
    if unused is None:
        return failure.fault
    return replace(failure.fault, tensor=_name(unused, failure), built=made(unused, record))


def _is_reached(tensor: torch.Tensor, nodes: list[Any]) -> bool:
    if tensor.grad_fn is not None:
        return tensor.grad_fn in nodes
    return any(getattr(node, "variable", None) is tensor for node in nodes)


def _name(tensor: torch.Tensor, failure: Failure) -> str | None:
    names = (name for name, value in failure.around.values() if value is tensor)
    return next(filter(None, names), None)
