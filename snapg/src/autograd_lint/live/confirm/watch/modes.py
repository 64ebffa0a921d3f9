"""Grad mode that a function leaves other than it found it."""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Sights


@dataclass(slots=True)
class _Running:
    """A function: the mode it was entered in, that of its latest line, the row that changed it."""

    entered: bool
    mode: bool
    row: int
    changed: int | None = None


class Modes:
    """Is told of the lines of a program, and of its functions' beginnings and ends."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._running: dict[int, _Running] = {}
        self._left: tuple[bool, int] | None = None  # the mode, and the row that set it

    def entered(self, frame: FrameType) -> None:
        """A function begins, or a generator goes on."""
        mode = torch.is_grad_enabled()
        self._running[id(frame)] = _Running(mode, mode, frame.f_lineno)

    def at_line(self, frame: FrameType) -> None:
        """A line is about to run."""
        mode = torch.is_grad_enabled()
        if self._left is not None and self._left[0] == mode:
            self._sights.add(Pitfall.MODE_LEAKS, {self._left[1]})
        self._left = None
        running = self._running.get(id(frame))
        if running is not None:
            self._look(running, mode)
            running.row = frame.f_lineno

    def returned(self, frame: FrameType) -> None:
        """A function returns, or a generator yields; what a `with` enters is to leave its mode."""
        running, mode = self._running.pop(id(frame), None), torch.is_grad_enabled()
        if running is None or frame.f_code.co_name in ("<module>", "__enter__", "__exit__"):
            return
        self._look(running, mode)
        if mode != running.entered and running.changed is not None and not _is_entered(frame):
            self._left = mode, running.changed

    def _look(self, running: _Running, mode: bool) -> None:
        if mode != running.mode:
            running.mode, running.changed = mode, running.row


def _is_entered(frame: FrameType) -> bool:
    """Whether a generator runs as the body of a context manager."""
    caller = frame.f_back
    return caller is not None and caller.f_code.co_filename.endswith("contextlib.py")
