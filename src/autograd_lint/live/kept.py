"""What a graph keeps for backward: tensors, bytes, the lines that saved them, the writes since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from autograd_lint.live import graph
from autograd_lint.live.calls import Call
from autograd_lint.live.failure import birth_of, module_at, place_of, writes_after
from autograd_lint.live.private import sequence_number, storage_id, version_of
from autograd_lint.live.record import Record
from autograd_lint.live.silent import changed_unseen
from autograd_lint.live.writes import Write
from autograd_lint.places import Place

_PICTURED = 8


@dataclass(frozen=True, slots=True)
class Kept:
    """One saved tensor. `shared` says what else holds its memory, so that it costs nothing more.

    `sequence` is when it was saved, `version` its counter when it was needed, `writes` the places
    (and sequence numbers) of writes in between. `module` is the module of a library in which the
    operator ran, if any.
    """

    place: Place | None
    operator: str
    attribute: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    shared: str
    sequence: int
    version: int
    writes: tuple[tuple[Place | None, int], ...] = ()
    module: str = ""

    @property
    def what(self) -> str:
        """What it is to the operator that saved it: `relu.result in net.1 (ReLU)`."""
        inside = f" in {self.module.replace('`', '')}" if self.module else ""
        return f"{self.operator}.{self.attribute}{inside}"


@dataclass(frozen=True, slots=True)
class Graph:
    """What one call of backward found kept."""

    call: str
    place: Place | None
    sequence: int
    kept: tuple[Kept, ...]

    @property
    def bytes(self) -> int:
        """The bytes that only the graph keeps."""
        return sum(one.bytes for one in self.kept if not one.shared)


@dataclass
class Inventory:
    """The graphs of a run: the first ones, and the largest."""

    first: list[Graph] = field(default_factory=list)
    largest: Graph | None = None

    def add(self, nodes: list[Any], record: Record, call: Call) -> None:
        """Look at the nodes below a call of backward; nothing of them is held afterwards."""
        kept = tuple(sorted(_kept(nodes, record), key=lambda one: one.sequence))
        found = Graph(call.name, place_of(call.site), sequence_number(), kept)
        if len(self.first) < _PICTURED:
            self.first.append(found)
        if self.largest is None or found.bytes > self.largest.bytes:
            self.largest = found


def _kept(nodes: list[Any], record: Record) -> Iterator[Kept]:
    leaves = {storage_id(node.variable): "a leaf" for node in nodes if hasattr(node, "variable")}
    seen: dict[int | None, str] = dict(leaves)
    ordered = sorted(nodes, key=lambda node: graph.sequence_of(node) or 0)
    for node in ordered:
        for slot in graph.slots_of(node, record.has_packed):
            if slot.tensor is not None and not slot.hooked:
                yield _one(node, slot, slot.tensor, seen, record)


def _one(
    node: Any,
    slot: graph.Slot,
    tensor: torch.Tensor,
    seen: dict[int | None, str],
    record: Record,
) -> Kept:
    birth = birth_of(node, record)
    number = graph.sequence_of(node) or 0
    storage = storage_id(tensor)
    place = place_of(birth.site if birth else None)
    shared = seen.get(storage, "") if storage is not None else ""
    row = f" (row {place.row})" if place else ""
    seen.setdefault(storage, f"`{graph.operator_of(node)}`{row}")
    writes = writes_after(number, tensor, record)
    if writes and not _is_overwritten(node, slot, writes):
        writes = []  # to other elements of the same memory
    return Kept(
        place,
        graph.operator_of(node),
        slot.attribute,
        tuple(tensor.shape),
        str(tensor.dtype).removeprefix("torch."),
        tensor.untyped_storage().nbytes() if storage is not None else 0,
        shared,
        number,
        version_of(tensor) or 0,
        tuple((place_of(write.site), write.sequence) for write in writes),
        module_at(birth.site if birth else None),
    )


def _is_overwritten(node: Any, slot: graph.Slot, writes: list[Write]) -> bool:
    """Whether the engine will refuse what was saved, or it holds other values than it did."""
    refused = any(attribute == slot.attribute for attribute, _ in graph.complaints(node))
    return refused or changed_unseen(writes, slot) is not None


def table(found: Graph) -> list[str]:
    """The kept tensors as lines of text, the largest first, and their sum."""
    where = f"row {found.place.row}" if found.place else "an unknown row"
    count = f"{len(found.kept)} tensor{'s' * (len(found.kept) != 1)}"
    head = f"kept for `{found.call}` at {where}: {size(found.bytes)} in {count}"
    rows = sorted(found.kept, key=lambda one: (bool(one.shared), -one.bytes))
    return [head, *(_line(one) for one in rows)]


def _line(one: Kept) -> str:
    place = f"{one.place.filename}:{one.place.row}" if one.place else "?"
    cost = "-" if one.shared else size(one.bytes)
    shape = f"{one.dtype}{list(one.shape)}"
    shared = f"  shared with {one.shared}" if one.shared else ""
    return f"  {cost:>10}  {one.what}  {shape}  {place}{shared}"


def size(number: int) -> str:
    """A number of bytes for a reader."""
    left = float(number)
    for unit in ("B", "KB", "MB"):
        if left < 1024:
            return f"{left:.0f} {unit}" if unit == "B" else f"{left:.1f} {unit}"
        left /= 1024
    return f"{left:.1f} GB"
