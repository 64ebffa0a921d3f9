"""What the `forward` of a custom Function does to its inputs, and keeps of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.given import Given
from autograd_lint.live.confirm.watch.sights import Sights
from autograd_lint.live.sites import first_argument


@dataclass(slots=True)
class _Forward:
    """A `forward` that runs: its inputs, and the rows that gave its context an attribute."""

    context: Any
    inputs: Given
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
            self._running[id(frame)] = _Forward(context, Given(inputs, frame.f_lineno))

    def at_line(self, frame: FrameType) -> None:
        """A line is about to run."""
        running = self._running.get(id(frame))
        if running is not None:
            _look(running)
            running.inputs.goes_on(frame.f_lineno)

    def returned(self, frame: FrameType, result: Any) -> None:
        """A function returns."""
        running = self._running.pop(id(frame), None)
        if running is None or result is None:
            return
        _look(running)
        running.inputs.look()
        dirty = getattr(running.context, "dirty_tensors", None) or ()
        inputs = running.inputs.tensors
        for index, row in running.inputs.wrote.items():
            if not any(one is inputs[index] for one in dirty):
                self._sights.add(Pitfall.NOT_MARKED_DIRTY, {row})
        outputs = result if isinstance(result, tuple) else (result,)
        known = (*outputs, *(one for one in inputs if one.requires_grad))
        for name, row in running.kept.items():
            value = getattr(running.context, name, None)
            if isinstance(value, torch.Tensor) and any(one is value for one in known):
                self._sights.add(Pitfall.KEPT_ON_CONTEXT, {row})


def _look(running: _Forward) -> None:
    """The row that ran has given the context these attributes."""
    for name in getattr(running.context, "__dict__", ()):
        running.kept.setdefault(name, running.inputs.row)
