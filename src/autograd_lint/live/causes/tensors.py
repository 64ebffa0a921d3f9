"""Errors about one tensor: which of those at hand it is, and its past."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from autograd_lint.engine.events import Created, Modified, Noted
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.live import graph
from autograd_lint.live.bindings import binding_of
from autograd_lint.live.causes.overwritten import modified_by
from autograd_lint.live.failure import Failure, birth_of, made, maker_of, place_of
from autograd_lint.live.private import storage_id
from autograd_lint.live.reading import is_a
from autograd_lint.live.record import Record
from autograd_lint.live.writes import Write

Fits = Callable[[torch.Tensor], bool]
_FITTING: dict[FaultKind, Fits] = {
    FaultKind.INFERENCE_TENSOR: lambda tensor: tensor.is_inference(),
    FaultKind.VIEW_MODIFIED: lambda tensor: tensor._is_view(),
    FaultKind.LEAF_MODIFIED: lambda tensor: tensor.requires_grad and tensor.is_leaf,
    FaultKind.LEAF_VIEW_MODIFIED: lambda tensor: tensor.requires_grad,
    FaultKind.NON_LEAF_FLAG: lambda tensor: not tensor.is_leaf,
    FaultKind.NON_LEAF_OPTIMIZER: lambda tensor: not tensor.is_leaf,
    FaultKind.NUMPY_ON_GRAD: lambda tensor: tensor.requires_grad,
    FaultKind.RETAIN_GRAD: lambda tensor: not tensor.requires_grad,
}
# A part of a message of no class of its own -> which tensor it is about.
_BY_MESSAGE: tuple[tuple[str, Fits], ...] = (
    ("graph leaves", lambda tensor: not tensor.is_leaf),
    ("leaf", lambda tensor: not tensor.is_leaf),
    ("vmap: inplace", lambda tensor: tensor.is_leaf),
    ("Jacobian mismatch", lambda tensor: tensor.dtype != torch.float64),
    ("autograd kernel was not registered", lambda tensor: tensor.grad_fn is not None),
    ("support automatic differentiation", lambda tensor: tensor.requires_grad),
)
_REFUSED = (FaultKind.LEAF_MODIFIED, FaultKind.LEAF_VIEW_MODIFIED, FaultKind.VIEW_MODIFIED)
_MODE = "torch.inference_mode"


def of_tensor(failure: Failure, record: Record) -> Fault | None:
    """The fault with the tensor at fault and where it was made; None where none fits."""
    fits = _FITTING.get(failure.kind) or _by_message(failure.message)
    tensor = next((one for _, one in failure.around.tensors() if fits and fits(one)), None)
    if tensor is None:
        return None
    names = (name for name, one in failure.around.tensors() if one is tensor)
    name = next(filter(None, names), "")
    if failure.kind is FaultKind.INFERENCE_TENSOR:
        return _of_inference(failure, name, tensor, record)
    modified = _modified(failure, name, tensor, record)
    return replace(
        failure.fault,
        tensor=name,
        built=made(tensor, record),
        modified=modified,
        noted=tuple(_holders(failure, tensor)),
    )


def _holders(failure: Failure, tensor: torch.Tensor) -> Iterator[Noted]:
    """Where the module was bound that keeps the tensor as a plain attribute."""
    for name, value in failure.around.values():
        modules = value.modules() if is_a(value, torch.nn.Module) else ()
        if any(held is tensor for module in modules for held in vars(module).values()):
            bound = binding_of(name, failure.raised)
            if bound is not None:
                yield Noted(bound, f"`{name}`, which keeps it, is made here")


def _by_message(message: str) -> Fits | None:
    return next((fits for part, fits in _BY_MESSAGE if part in message), None)


def _of_inference(failure: Failure, name: str, tensor: torch.Tensor, record: Record) -> Fault:
    """The mode under which an inference tensor was made is what is to change."""
    origin, where = maker_of(tensor, record), made(tensor, record)
    if origin is None or origin.entered is None:
        return replace(failure.fault, tensor=name, built=where)
    noted = Noted(place_of(origin.site), "made here")
    return replace(failure.fault, tensor=name, built=Created(origin.entered, _MODE), noted=(noted,))


def _modified(failure: Failure, name: str, tensor: torch.Tensor, record: Record) -> Modified | None:
    """The write that the engine refuses, or the earlier one that made it refuse."""
    if "has been modified" in failure.message:
        writes = _writes(tensor, record)
        return modified_by(writes[-1], tensor._version) if writes else None
    if failure.kind not in _REFUSED:
        return None
    return Modified(failure.place, "", name, tensor._version + 1)


def _writes(tensor: torch.Tensor, record: Record) -> list[Write]:
    storage = storage_id(tensor)
    return record.writes.to(storage) if storage is not None else []


def of_moved_leaf(failure: Failure, record: Record) -> Fault | None:
    """A leaf of the graph that a write has since made the result of an operator."""
    for node in failure.nodes():
        variable = getattr(node, "variable", None)
        if variable is None or variable.grad_fn is None:
            continue
        birth = birth_of(variable.grad_fn, record)
        place = place_of(birth.site if birth else None)
        operator = graph.operator_of(variable.grad_fn)
        return replace(failure.fault, modified=Modified(place, operator, None, variable._version))
    return None
