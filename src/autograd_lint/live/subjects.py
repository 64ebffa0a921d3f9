"""Errors that operators raise: which tensor of the raising line they are about, and its past."""

import ast
import dis
import linecache
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import FrameType, FunctionType, TracebackType
from typing import Any

import torch

from autograd_lint.engine.events import Created, Modified, Needed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.live.naming import name_at
from autograd_lint.live.post_mortem import birth_of, modified_by, place_of
from autograd_lint.live.private import storage_id
from autograd_lint.live.record import Record
from autograd_lint.live.sites import Site, Sites

_FITTING: dict[FaultKind, Callable[[torch.Tensor], bool]] = {
    FaultKind.INFERENCE_TENSOR: lambda tensor: tensor.is_inference(),
    FaultKind.VIEW_MODIFIED: lambda tensor: tensor._is_view(),
    FaultKind.LEAF_MODIFIED: lambda tensor: tensor.requires_grad and tensor.is_leaf,
    FaultKind.LEAF_VIEW_MODIFIED: lambda tensor: tensor.requires_grad,
    FaultKind.NON_LEAF_FLAG: lambda tensor: not tensor.is_leaf,
    FaultKind.NON_LEAF_OPTIMIZER: lambda tensor: not tensor.is_leaf,
    FaultKind.NUMPY_ON_GRAD: lambda tensor: tensor.requires_grad,
    FaultKind.RETAIN_GRAD: lambda tensor: not tensor.requires_grad,
}
_REFUSED = (FaultKind.LEAF_MODIFIED, FaultKind.LEAF_VIEW_MODIFIED, FaultKind.VIEW_MODIFIED)
_DECLARATIONS = ("save_for_backward", "mark_dirty", "mark_non_differentiable", "dirty")


def of_error(error: BaseException, kind: FaultKind, record: Record, sites: Sites) -> Fault:
    """The fault of an exception that no call of the engine raised."""
    site = sites.of_traceback(error.__traceback__)
    fault = Fault(kind, place_of(site), detail=str(error), tensor=name_at(site))
    if kind is FaultKind.NON_SCALAR_ROOT:  # raised before the engine is called
        return replace(fault, needed=Needed(place_of(site), "backward"))
    frame = _innermost(error.__traceback__, site)
    if frame is None or site is None:
        return fault
    if kind is FaultKind.CUSTOM_FUNCTION:
        return _of_function(fault, frame, site)
    if kind is FaultKind.NO_GRAD_ROOT and isinstance(error, AttributeError):
        return _of_number(fault, record)
    return _of_tensor(fault, frame, site, record)


def _innermost(traceback: TracebackType | None, site: Site | None) -> FrameType | None:
    found = None
    while traceback is not None:
        if site is not None and traceback.tb_frame.f_code is site.code:
            found = traceback.tb_frame
        traceback = traceback.tb_next
    return found


def _of_number(fault: Fault, record: Record) -> Fault:
    """A Python number has no graph: it was read from a tensor that had one."""
    if not record.numbers:
        return fault
    origin = record.numbers[-1]
    return replace(fault, built=Created(place_of(origin.site), "item"), operator="item")


def _of_tensor(fault: Fault, frame: FrameType, site: Site, record: Record) -> Fault:
    fits = _FITTING.get(fault.kind) if isinstance(fault.kind, FaultKind) else None
    if fits is None:
        return fault
    for name, value in _values(frame, site):
        if not isinstance(value, torch.Tensor) or not fits(value):
            continue
        built = _built(value, record)
        storage = storage_id(value)
        writes = record.writes.get(storage) if storage is not None else None
        blamed = writes[-1] if writes and "has been modified" in fault.detail else None
        modified = modified_by(blamed, value._version) if blamed else None
        if modified is None and fault.kind in _REFUSED:
            modified = Modified(fault.place, "", name, value._version + 1)
        return replace(fault, tensor=name, built=built, modified=modified)
    return fault


def _built(tensor: torch.Tensor, record: Record) -> Created | None:
    """Where a tensor was made: by its node's operator, or by the last one on its storage."""
    storage = storage_id(tensor)
    origin = record.origins.get(storage) if storage is not None else None
    try:
        node = tensor.grad_fn
    except RuntimeError:
        node = None
    if node is not None:
        birth = birth_of(node, record)
        return Created(place_of(birth.site), birth.operator) if birth else None
    if origin is None:
        return None
    return Created(place_of(origin.site), origin.operator)


def _values(frame: FrameType, site: Site) -> Iterator[tuple[str, Any]]:
    """What the names on the raising line stand for, the written one first."""
    row = site.place.row
    first = name_at(site)
    names = [first] if first else []
    names += _names_at(site.filename, row)
    for name in names:
        try:
            yield name, _resolve(name, frame)
        except (AttributeError, KeyError, RuntimeError):
            continue


def _names_at(filename: str, row: int) -> list[str]:
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Name, ast.Attribute)) and node.lineno == row
    ]


def _resolve(name: str, frame: FrameType) -> Any:
    head, *rest = name.split(".")
    value = frame.f_locals[head] if head in frame.f_locals else frame.f_globals[head]
    for part in rest:
        value = getattr(value, part)
    return value


def _of_function(fault: Fault, frame: FrameType, site: Site) -> Fault:
    """An error about what `forward` declared: the line that declares it."""
    said = next((word for word in _DECLARATIONS if word in fault.detail), None)
    if said is None:
        return fault
    for _, value in _values(frame, site):
        if isinstance(value, type) and issubclass(value, torch.autograd.Function):
            place = _call_of(value.forward, "mark_dirty" if said == "dirty" else said, site)
            return replace(fault, operator=value.__name__, built=Created(place, value.__name__))
    return fault


def _call_of(function: Any, method: str, site: Site) -> Any:
    if not isinstance(function, FunctionType):
        return None
    for instruction in dis.get_instructions(function):
        if instruction.argval == method:
            return replace(site, code=function.__code__, instruction=instruction.offset).place
    return None
