"""Tensors that are kept under a name, share their memory, and are used once it is overwritten."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Rows, Sights
from autograd_lint.live.confirm.watch.used_again import UsedAgain
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in


class Snapshots:
    """Is told of writes, and of what operators take."""

    def __init__(self, sights: Sights, filename: str) -> None:
        self._filename = filename
        self.overwritten = UsedAgain(sights, Pitfall.SNAPSHOT_OVERWRITTEN)

    def wrote(self, tensor: torch.Tensor, rows: Rows) -> None:
        """An operator has written to a tensor: others on its memory hold something else now."""
        storage = storage_id(tensor)
        for kept in self._named() if storage is not None else ():
            if kept is not tensor and not kept.requires_grad and storage_id(kept) == storage:
                self.overwritten.add(kept, rows)

    def _named(self) -> Iterator[torch.Tensor]:
        """The tensors that the running functions of the program have names for."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self._filename:
                yield from tensors_in(frame.f_locals.values())
            frame = frame.f_back
