"""Values that change where nothing of autograd tells of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch

from autograd_lint.live import graph
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


def unrecorded(computed: Iterable[torch.Tensor], record: Record) -> Iterator[int]:
    """The rows that changed values which have a graph, without autograd counting it."""
    for tensor in computed:
        made = graph.sequence_of(tensor.grad_fn)
        for write in _writes(tensor, record):
            if write.own is not None or write.held is None:
                continue
            if write.held.geometry != geometry_of(tensor):
                continue
            if made is None or write.sequence <= made:
                continue  # it may be another tensor's that lay there before
            if write.site is not None and differ(write.held.before, digest(tensor)):
                yield write.site.place.row


def _writes(tensor: torch.Tensor, record: Record) -> Iterable[Write]:
    storage = storage_id(tensor)
    return record.writes.to(storage) if storage is not None else ()
