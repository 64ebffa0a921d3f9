"""What is seen by following a witness line by line."""

from __future__ import annotations

from types import FrameType
from typing import Any

from autograd_lint.live.confirm.watch.arguments import Arguments
from autograd_lint.live.confirm.watch.functions import Forwards
from autograd_lint.live.confirm.watch.modes import Modes
from autograd_lint.live.confirm.watch.passed_over import look_at_call
from autograd_lint.live.confirm.watch.rebound import Rebound
from autograd_lint.live.confirm.watch.sights import Sights


class Lines:
    """Is told of every call, and of the lines of one file."""

    def __init__(self, sights: Sights, filename: str, arguments: Arguments) -> None:
        self._sights = sights
        self._filename = filename
        self._modes = Modes(sights)
        self._forwards = Forwards(sights)
        self._rebound = Rebound(sights)
        self._arguments = arguments

    def called(self, frame: FrameType) -> None:
        """A function begins, of whatever file."""
        look_at_call(frame, self._filename, self._sights)

    def entered(self, frame: FrameType) -> None:
        """A function of the file begins, or a generator goes on."""
        self._modes.entered(frame)
        self._forwards.entered(frame)
        self._rebound.entered(frame)
        self._arguments.entered(frame)

    def at_line(self, frame: FrameType) -> None:
        """A line of the file is about to run."""
        self._modes.at_line(frame)
        self._forwards.at_line(frame)
        self._rebound.at_line(frame)
        self._arguments.at_line(frame)

    def returned(self, frame: FrameType, result: Any) -> None:
        """A function of the file ends."""
        self._modes.returned(frame)
        self._forwards.returned(frame, result)
        self._rebound.returned(frame)
        self._arguments.returned(frame, result)
