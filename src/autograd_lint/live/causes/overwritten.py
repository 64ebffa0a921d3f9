"""A saved tensor was modified: which node saved it, and which write came after."""

import re
from math import prod
from typing import Any

from autograd_lint.engine.events import Modified, Saved
from autograd_lint.engine.faults import Fault
from autograd_lint.live import graph
from autograd_lint.live.failure import Failure, birth_of, module_at, place_of, writes_after
from autograd_lint.live.naming import name_at
from autograd_lint.live.private import storage_id
from autograd_lint.live.record import Record
from autograd_lint.live.writes import Write

Shape = tuple[int, ...]
_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")
_SHAPE = re.compile(r"\[\w+(?:\.\w+)* \[([\d, ]*)\]\]")


def of_overwritten(failure: Failure, record: Record) -> Fault:
    versions = _VERSIONS.search(failure.message)
    now, expected = (int(versions[1]), int(versions[2])) if versions else (0, 0)
    detached = "detached in-place" in failure.message
    found = _detached(failure, record) if detached else _complaining(failure, record)
    if found is None:
        return _modified_unseen(failure, record, expected)
    node, attribute = found
    birth = birth_of(node, record)
    number = graph.sequence_of(node) or 0
    shape = _shape_in(failure.message)
    tensor = _slot_tensor(node, attribute, shape, now)
    writes = writes_after(number, tensor, record)
    if detached:
        writes = [write for write in writes if write.operator == "detach_"]
    writes = writes or _by_version(tensor, expected, record)
    if tensor is None and shape is not None:  # an older torch does not show what was modified
        writes = _fitting(record, shape, expected, number)
    write = _culprit(writes, expected)
    name = name_at(write.site if write else None)
    saved = Saved(
        place_of(birth.site if birth else None),
        graph.operator_of(node),
        name,
        "result" if attribute.startswith(("result", "output")) else "input",
        expected,
        module_at(birth.site if birth else None),
    )
    modified = modified_by(write, now) if write else _by_backward(number, now, record)
    return Fault(
        failure.kind,
        failure.place,
        tensor=name,
        operator=graph.operator_of(node),
        detail=failure.message,
        saved=saved,
        modified=modified,
        needed=failure.needed,
    )


def _complaining(failure: Failure, record: Record) -> tuple[Any, str] | None:
    """The youngest node whose check raises the failure's message: the engine runs it first."""
    nodes = failure.nodes()
    for node in sorted(nodes, key=lambda node: graph.sequence_of(node) or -1, reverse=True):
        for attribute, message in graph.complaints(node, record.has_packed):
            if graph.same_message(message, failure.message):
                return node, attribute
    return None


def _detached(failure: Failure, record: Record) -> tuple[Any, str] | None:
    """The node that saved what `detach_` was called on; reading a saved tensor does not tell."""
    for node in failure.nodes():
        number = graph.sequence_of(node)
        for slot in graph.slots_of(node, record.has_packed) if number is not None else ():
            writes = writes_after(number or 0, slot.tensor, record)
            if any(write.operator == "detach_" for write in writes):
                return node, slot.attribute
    return None


def _slot_tensor(node: Any, attribute: str, shape: Shape | None, now: int) -> Any:
    """What is saved under an attribute; of several, what the message fits that names no index."""
    slots = [slot.tensor for slot in graph.slots_of(node) if slot.attribute == attribute]
    held = [tensor for tensor in slots if tensor is not None]
    fitting = [one for one in held if one._version == now and shape in (None, tuple(one.shape))]
    return next(iter([*fitting, *held]), None)


def _shape_in(message: str) -> Shape | None:
    found = _SHAPE.search(message)
    return tuple(int(size) for size in found[1].split(",") if size.strip()) if found else None


def _by_version(tensor: Any, expected: int, record: Record) -> list[Write]:
    """Writes of another thread, which counts its nodes for itself: versions tell when they were."""
    storage = storage_id(tensor) if tensor is not None else None
    known = record.writes.to(storage) if storage is not None else ()
    return [write for write in known if write.bumped and (write.version or 0) >= expected]


def _culprit(writes: list[Write], expected: int) -> Write | None:
    """The first write that the version check sees."""
    counted = [write for write in writes if write.bumped]
    exact = [write for write in counted if write.version == expected]
    return next(iter([*exact, *counted, *writes]), None)


def modified_by(write: Write, now: int) -> Modified:
    """The event of a write; `now` is the version where the write's own is not known."""
    before = write.version
    after = now if before is None else before + 1 if write.bumped else before
    optimizer = write.site.optimizer if write.site else None
    return Modified(
        place_of(write.site),
        optimizer or write.operator,
        name_at(write.site),
        after,
        by_optimizer=optimizer is not None,
        bumped=write.bumped,
        module=module_at(write.site),
    )


def _by_backward(number: int, now: int, record: Record) -> Modified | None:
    """Writes inside of backward are not observed: it adds to `.grad` in place."""
    later = record.calls.since(number)
    return Modified(place_of(later.site), later.name, None, now) if later else None


def _modified_unseen(failure: Failure, record: Record, expected: int) -> Fault:
    """The node is out of reach, below a write to a view: shape and version tell the write.

    What selective checkpointing has cached is held by torch's own frames.
    """
    write = _to_cached(failure, record) if "cached during" in failure.message else None
    shape = _shape_in(failure.message)
    if shape is not None:
        write = _by_shape(record, shape, expected)
    return Fault(
        failure.kind,
        failure.place,
        tensor=name_at(write.site) if write else None,
        detail=failure.message,
        modified=modified_by(write, expected + 1) if write else None,
        needed=failure.needed,
    )


def _to_cached(failure: Failure, record: Record) -> Write | None:
    held = [storage_id(tensor) for _, tensor in failure.around.tensors()]
    writes = [write for storage in held if storage for write in record.writes.to(storage)]
    return max(writes, key=lambda write: write.sequence, default=None)


def _by_shape(record: Record, shape: Shape, expected: int) -> Write | None:
    fitting = _fitting(record, shape, expected)
    exact = [write for write in fitting if write.version == expected]
    return max(exact or fitting, key=lambda write: write.sequence, default=None)


def _fitting(record: Record, shape: Shape, expected: int, since: int = 0) -> list[Write]:
    """The writes that a check for a version sees, from one node on, to tensors of a shape.

    What was saved may be a transposed one of what was written. The numbers of nodes made in another
    thread say nothing.
    """
    for fits in (_is_same, _is_turned):
        found = [
            write
            for writes in record.writes.by_storage()
            if any(write.shape is not None and fits(write.shape, shape) for write in writes)
            for write in writes
            if write.bumped and write.version is not None and write.version >= expected
        ]
        if found:
            return [write for write in found if write.sequence >= since] or found
    return _to_parts(record, shape, expected)


def _is_same(one: Shape, other: Shape) -> bool:
    return one == other


def _is_turned(one: Shape, other: Shape) -> bool:
    return sorted(one) == sorted(other)


def _to_parts(record: Record, shape: Shape, expected: int) -> list[Write]:
    """The writes to what may be a part of it, if only one storage was written at the version."""
    found = [
        [write for write in writes if write.bumped and write.version == expected]
        for writes in record.writes.by_storage()
        if all(write.shape is not None and prod(write.shape) <= prod(shape) for write in writes)
    ]
    written = [writes for writes in found if writes]
    return written[0] if len(written) == 1 else []
