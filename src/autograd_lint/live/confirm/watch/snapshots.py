"""Tensors that are kept under a name, share their memory, and are used once it is overwritten."""

from __future__ import annotations

from collections.abc import Iterable
from types import FrameType
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Rows, Sights
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in


class Snapshots:
    """Is told of the lines of a program, of writes, and of what operators take."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._named: dict[int, list[ref[torch.Tensor]]] = {}  # without a graph, by storage
        self._overwritten: dict[int, tuple[ref[torch.Tensor], Rows]] = {}

    def at_line(self, frame: FrameType) -> None:
        """A line is about to run."""
        self._named.clear()
        for tensor in tensors_in(frame.f_locals.values()):
            storage = None if tensor.requires_grad else storage_id(tensor)
            if storage is not None:
                self._named.setdefault(storage, []).append(ref(tensor))

    def wrote(self, tensor: torch.Tensor, rows: Rows) -> None:
        """An operator has written to a tensor: others on its memory hold something else now."""
        storage = storage_id(tensor)
        for other in self._named.get(storage, ()) if storage is not None else ():
            kept = other()
            if kept is not None and kept is not tensor:
                self._overwritten[id(kept)] = other, rows

    def used(self, taken: Iterable[Any]) -> None:
        """An operator takes these."""
        for tensor in tensors_in(taken) if self._overwritten else ():
            known = self._overwritten.get(id(tensor))
            if known is not None and known[0]() is tensor:
                self._sights.add(Pitfall.SNAPSHOT_OVERWRITTEN, known[1])
