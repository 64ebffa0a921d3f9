"""What the `forward` of a custom Function does to its inputs, and keeps of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Sights
from autograd_lint.live.private import version_of
from autograd_lint.live.sites import first_argument


@dataclass(slots=True)
class _Forward:
    """A `forward` that runs: its inputs and their versions, the rows that wrote to them and that
    gave its context an attribute."""

    context: Any
    inputs: list[torch.Tensor]
    versions: list[int | None]
    row: int
    wrote: dict[int, int] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)


class Forwards:
    """Is told of the lines of a program, and of its functions' beginnings and ends."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._running: dict[int, _Forward] = {}

    def entered(self, frame: FrameType) -> None:
        """A function begins."""
        if frame.f_code.co_name != "forward":
            return
        context = first_argument(frame)
        if isinstance(context, torch.autograd.function.FunctionCtx):
            inputs = [one for one in frame.f_locals.values() if isinstance(one, torch.Tensor)]
            versions = [version_of(one) for one in inputs]
            self._running[id(frame)] = _Forward(context, inputs, versions, frame.f_lineno)

    def at_line(self, frame: FrameType) -> None:
        """A line is about to run."""
        running = self._running.get(id(frame))
        if running is not None:
            _look(running)
            running.row = frame.f_lineno

    def returned(self, frame: FrameType, result: Any) -> None:
        """A function returns."""
        running = self._running.pop(id(frame), None)
        if running is None or result is None:
            return
        _look(running)
        dirty = getattr(running.context, "dirty_tensors", None) or ()
        for index, row in running.wrote.items():
            if not any(one is running.inputs[index] for one in dirty):
                self._sights.add(Pitfall.NOT_MARKED_DIRTY, {row})
        outputs = result if isinstance(result, tuple) else (result,)
        known = (*outputs, *(one for one in running.inputs if one.requires_grad))
        for name, row in running.kept.items():
            value = getattr(running.context, name, None)
            if isinstance(value, torch.Tensor) and any(one is value for one in known):
                self._sights.add(Pitfall.KEPT_ON_CONTEXT, {row})


def _look(running: _Forward) -> None:
    """The row that ran has written to these inputs, and given the context these attributes."""
    for index, (tensor, version) in enumerate(zip(running.inputs, running.versions, strict=True)):
        if version_of(tensor) != version:
            running.wrote.setdefault(index, running.row)
    for name in getattr(running.context, "__dict__", ()):
        running.kept.setdefault(name, running.row)
