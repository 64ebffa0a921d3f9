"""Names of trained leaves that come to mean another tensor, which does not require grad."""

from __future__ import annotations

from types import FrameType

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Sights


class Rebound:
    """Is told of the lines of a program, and of its functions' beginnings and ends."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._running: dict[int, tuple[int, dict[str, torch.Tensor]]] = {}

    def entered(self, frame: FrameType) -> None:
        """A function begins."""
        self._running[id(frame)] = frame.f_lineno, _leaves(frame)

    def at_line(self, frame: FrameType) -> None:
        """A line is about to run."""
        if id(frame) in self._running:
            self._look(frame)
            self._running[id(frame)] = frame.f_lineno, _leaves(frame)

    def returned(self, frame: FrameType) -> None:
        """A function returns."""
        if id(frame) in self._running:
            self._look(frame)
            del self._running[id(frame)]

    def _look(self, frame: FrameType) -> None:
        row, before = self._running[id(frame)]
        for name, leaf in before.items():
            value = frame.f_locals.get(name)
            if not isinstance(value, torch.Tensor) or value.requires_grad:
                continue
            if value is not leaf and value.shape == leaf.shape and leaf.grad is not None:
                self._sights.add(Pitfall.PARAMETER_REBOUND, {row})


def _leaves(frame: FrameType) -> dict[str, torch.Tensor]:
    """The names of a function that mean leaves that require grad."""
    found = frame.f_locals.items()
    tensors = {name: one for name, one in found if isinstance(one, torch.Tensor)}
    return {name: one for name, one in tensors.items() if one.requires_grad and one.is_leaf}
