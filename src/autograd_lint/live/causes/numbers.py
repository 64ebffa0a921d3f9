"""A Python number, or None, where a tensor is wanted: where it comes from."""

import ast
import re
from dataclasses import replace
from typing import Any

import torch

from autograd_lint.engine.events import Created, noted_at
from autograd_lint.engine.faults import ABSENT_GRADIENT, Fault, FaultKind
from autograd_lint.engine.pitfalls import PLAIN_NUMBER
from autograd_lint.live.bindings import binding_of
from autograd_lint.live.failure import Failure, made, place_of
from autograd_lint.live.naming import name_at
from autograd_lint.live.record import Record
from autograd_lint.live.surroundings import read_at

NUMBER = re.compile(
    r"'(float|int)' object has no attribute '(backward|detach|requires_grad\w*|grad|retain_grad)'"
)


def of_number(failure: Failure, record: Record) -> Fault | None:
    """A number has no graph: where it was read from a tensor that had one, or was bound."""
    if not NUMBER.search(failure.message):
        return None
    name = name_at(failure.raised)
    value = next((one for said, one in failure.around.values() if said == name), None)
    read = record.numbers.like(value)
    bound = binding_of(name, failure.raised)
    if read is None and bound is None and record.numbers:
        read = record.numbers.latest
    built = Created(place_of(read.site), "item") if read else None
    noted = noted_at(bound, "bound here")
    operator = "item" if read else ""
    told = replace(failure.fault, tensor=name, operator=operator, built=built, noted=noted)
    is_root = told.kind is FaultKind.NO_GRAD_ROOT
    return replace(told, detail=PLAIN_NUMBER) if is_root else told


def of_missing_gradient(failure: Failure, record: Record) -> Fault | None:
    """A `.grad` that is None: of a tensor that is no leaf, or that nothing led back to."""
    if "NoneType" not in failure.message:
        return None
    for name, tensor in failure.around.tensors():
        if not reads_gradient(name, failure) or _gradient(tensor) is not None:
            continue
        built = None if tensor.is_leaf else made(tensor, record)
        return replace(failure.fault, tensor=f"{name}.grad", operator=ABSENT_GRADIENT, built=built)
    return None


def reads_gradient(name: str, failure: Failure) -> bool:
    """Whether the raising line reads `.grad` of what it calls `name`."""
    nodes = read_at(failure.place) if failure.place else []
    return any(
        isinstance(node, ast.Attribute) and node.attr == "grad" and ast.unparse(node.value) == name
        for node in nodes
    )


def _gradient(tensor: torch.Tensor) -> Any:
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None
