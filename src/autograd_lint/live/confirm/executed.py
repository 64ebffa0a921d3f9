"""Which rows of one file ran."""

import sys
from types import CodeType, FrameType
from typing import Any, Protocol


class Follower(Protocol):
    """Is told of each line of the program, and of functions."""

    def called(self, frame: FrameType) -> None:
        """A function begins, of whatever file."""

    def entered(self, frame: FrameType) -> None:
        """A function of the program begins."""

    def at_line(self, frame: FrameType) -> None:
        """A line is about to run."""

    def returned(self, frame: FrameType, result: Any) -> None:
        """A function of the program ends."""


class Executed:
    """Collects the rows of `filename` that run while open."""

    def __init__(self, filename: str, follower: Follower | None = None) -> None:
        self.rows: set[int] = set()
        self._filename = filename
        self._follower = follower
        self._before: Any = None

    def __enter__(self) -> "Executed":
        self._before = sys.gettrace()
        sys.settrace(self._call)
        return self

    def __exit__(self, *details: object) -> None:
        sys.settrace(self._before)

    def _call(self, frame: FrameType, event: str, argument: object) -> Any:
        code: CodeType = frame.f_code
        self._tell("called", frame)
        if code.co_filename != self._filename:
            return None
        self._tell("entered", frame)
        return self._line

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "line" and frame.f_lineno:
            self.rows.add(frame.f_lineno)
            self._tell("at_line", frame)
        elif event == "return":
            self._tell("returned", frame, argument)
        return self._line

    def _tell(self, what: str, *arguments: Any) -> None:
        """Tell the follower; whatever it stumbles over, the program is to go on."""
        if self._follower is not None:
            try:
                getattr(self._follower, what)(*arguments)
            except Exception:
                self._follower = None
