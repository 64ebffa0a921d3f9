"""Values that change where nothing of autograd tells of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch

from autograd_lint.live import graph
from autograd_lint.live.confirm.watch.unmoved import Unmoved
from autograd_lint.live.contents import Digest, differ, digest
from autograd_lint.live.private import storage_id
from autograd_lint.live.record import Record
from autograd_lint.live.writes import Write, geometry_of

Given = tuple[torch.Tensor, Digest | None]


def given(tensors: Iterable[torch.Tensor]) -> list[Given]:
    """Tensors that are handed to a witness, and what they hold; no graph is kept alive."""
    return [(tensor.detach(), digest(tensor)) for tensor in tensors]


def changed(handed: Iterable[Given], record: Record) -> Iterator[int]:
    """The rows that wrote to what a witness was handed."""
    for tensor, before in handed:
        if differ(before, digest(tensor)):
            yield from (write.site.place.row for write in _writes(tensor, record) if write.site)


def unrecorded(computed: Iterable[torch.Tensor], record: Record, unmoved: Unmoved) -> Iterator[int]:
    """The rows that changed values which have a graph, without autograd counting it."""
    for tensor in computed:
        writes = [one for one in _writes(tensor, record) if _is_of(one, tensor)]
        made, recorded = _history(tensor, writes)
        for index, write in enumerate(writes):
            if write in recorded or write.own is not None or write.site is None:
                continue
            if made is None or write.sequence <= made:
                continue  # it may be another tensor's that lay there before
            row = write.site.place.row
            changes = differ(_before(write), _after(tensor, writes[index + 1 :]))
            if changes or unmoved.knows(storage_id(tensor), row):
                yield row


def _is_of(write: Write, tensor: torch.Tensor) -> bool:
    """Whether the elements are known that a write found where a tensor lies."""
    return write.held is not None and write.held.geometry == geometry_of(tensor)


def _history(tensor: torch.Tensor, writes: list[Write]) -> tuple[int | None, list[Write]]:
    """When a tensor got its graph, and the writes with which the graph went on since."""
    node, recorded = tensor.grad_fn, list[Write]()
    while node is not None:
        by = next((write for write in writes if _made(write, node)), None)
        before = node.next_functions[0][0] if node.next_functions else None
        if by is None or before is None or graph.sequence_of(before) is None:
            return graph.sequence_of(node), recorded
        recorded.append(by)
        node = before
    return None, recorded


def _made(write: Write, node: Any) -> bool:
    """Whether a node is that of a write, which may have made another one for a copy of its own."""
    number = graph.sequence_of(node)
    if write.own is not None or number is None:
        return write.own is not None and write.own == number
    return write.sequence - 2 == number and write.operator.rstrip("_") == graph.operator_of(node)


def _before(write: Write) -> Digest | None:
    return write.held.before if write.held is not None else None


def _after(tensor: torch.Tensor, later: list[Write]) -> Digest | None:
    """What a tensor held once it was written, when all that wrote to it later is known."""
    return _before(later[0]) if later else digest(tensor)


def _writes(tensor: torch.Tensor, record: Record) -> Iterable[Write]:
    storage = storage_id(tensor)
    return record.writes.to(storage) if storage is not None else ()
