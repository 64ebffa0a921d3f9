"""Saved tensors that were overwritten behind the version counter's back.

The engine does not see these: it computes a gradient from the wrong values.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from autograd_lint.engine.events import Needed, Saved
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.live import graph
from autograd_lint.live.calls import Call
from autograd_lint.live.causes.overwritten import modified_by
from autograd_lint.live.contents import Digest, differ, digest, settle
from autograd_lint.live.failure import birth_of, module_at, place_of, writes_after
from autograd_lint.live.naming import name_at
from autograd_lint.live.overlap import overlap
from autograd_lint.live.private import storage_id
from autograd_lint.live.record import Record
from autograd_lint.live.sites import Site
from autograd_lint.live.statistics import NORMALIZING
from autograd_lint.live.unchecked import unchecked_in
from autograd_lint.live.writes import Geometry, Held, Write, geometry_of

_RUNNING = ("running_mean", "running_var")


def overwritten(nodes: list[Any], record: Record, call: Call) -> Iterator[Fault]:
    """One fault for each write that changed what a node below `call` had saved."""
    told: set[tuple[int, Site | None]] = set()
    storages = record.writes.looked_at()
    for node in nodes:
        number = graph.sequence_of(node)
        if number is None:
            continue
        for slot in graph.slots_of(node, record.has_packed):
            if slot.tensor is None or storage_id(slot.tensor) not in storages:
                continue
            write = changed_unseen(_writes_since(number, node, slot.tensor, record), slot)
            if write is None or _key(write) in told or _unused(node, slot):
                continue
            if _passes(node, slot):
                told.add(_key(write))
                yield _fault(node, slot, write, record, call)


def overwritten_unchecked(nodes: list[Any], record: Record, call: Call) -> Iterator[Fault]:
    """One fault for each write to what backward uses without a check, since that was taken."""
    told: set[int] = set()
    for used in unchecked_in(nodes):
        writes = _writes_since(used.number, used.node, used.tensor, record)
        write = _changed(writes, used.tensor)
        if write is not None and write.number not in told:
            told.add(write.number)
            slot = graph.Slot(used.name, used.tensor, hooked=False)
            yield _fault(used.node, slot, write, record, call)


def _writes_since(number: int, node: Any, tensor: torch.Tensor, record: Record) -> list[Write]:
    """The writes to a tensor since a node was made, as far as that is known."""
    operator = graph.operator_of(node)
    writes = writes_after(number, tensor, record)
    return [write for write in writes if record.counts_alike(number, operator, write)]


def _changed(writes: list[Write], tensor: torch.Tensor) -> Write | None:
    """The first of these writes that leaves a tensor other than it was. Where it is not known what
    the tensor held before the first one, a write that a version counter has counted is one."""
    slot = graph.Slot("", tensor, hooked=False)
    counted = (one for one in writes if one.bumped)
    known = bool(writes) and writes[0].held is not None
    return changed_unseen(writes, slot) or (None if known else next(counted, None))


def changed_unseen(writes: list[Write], slot: graph.Slot) -> Write | None:
    """The first write of a place that holds something else now than before it."""
    geometry = geometry_of(slot.tensor) if slot.tensor is not None else None
    watched: dict[Geometry | None, list[tuple[Write, Held]]] = {}
    for write in writes:
        if write.held is not None:
            watched.setdefault(write.held.geometry, []).append((write, write.held))
    for written, ones in watched.items():
        (first, before), (_, latest) = ones[0], ones[-1]
        now = latest.after if written is None else _holds(slot.tensor, written)
        if differ(before.before, now) and overlap(written, geometry):
            return first
    return None


def _holds(tensor: torch.Tensor | None, geometry: Geometry) -> Digest | None:
    """A digest of a part of a tensor's storage."""
    if tensor is None or tensor.dtype != geometry.dtype:
        return None
    whole = tensor.detach()
    settle(whole)
    return digest(whole.as_strided(geometry.shape, geometry.stride, geometry.offset))


def _unused(node: Any, slot: graph.Slot) -> bool:
    """Whether the backward of a batch normalization has no use for statistics that it has saved:
    in training it has its own, and the mean is for the gradient of the weight."""
    if slot.attribute not in _RUNNING or getattr(node, "_saved_training", True):
        return slot.attribute in _RUNNING
    weight = getattr(node, "_saved_weight", None)
    return slot.attribute == "running_mean" and (weight is None or not weight.requires_grad)


def _key(write: Write) -> tuple[int, Site | None]:
    """What tells writes apart: both statistics of a batch normalization are written by one."""
    return (-write.sequence if write.operator in NORMALIZING else write.number, write.site)


def _passes(node: Any, slot: graph.Slot) -> bool:
    """Whether the engine's own check is content, so that nothing will raise."""
    return all(attribute != slot.attribute for attribute, _ in graph.complaints(node))


def _fault(node: Any, slot: graph.Slot, write: Write, record: Record, call: Call) -> Fault:
    birth = birth_of(node, record)
    site = birth.site if birth else None
    operator = graph.operator_of(node)
    version = int(slot.tensor._version) if slot.tensor is not None else 0
    name = slot.attribute if write.operator in NORMALIZING else name_at(write.site)
    return Fault(
        FaultKind.SAVED_TENSOR_MODIFIED,
        None,
        tensor=name,
        operator=operator,
        saved=Saved(place_of(site), operator, name, slot.role, version, module_at(site)),
        modified=replace(modified_by(write, version), version=version, bumped=False),
        needed=Needed(place_of(call.site), call.name),
    )
