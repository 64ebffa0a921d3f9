"""Is told when functions begin and end: by `sys.monitoring`, before Python 3.12 by a profiler."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Protocol


class Ends(Protocol):
    """Is told of the end of a call."""

    def __call__(self, frame: FrameType, returned: object, *, raised: bool) -> None: ...


class _Profiling:
    """All threads that start while it is open, and the running one."""

    def __init__(
        self, wants: Callable[[CodeType], bool], begins: Callable[[FrameType], None], ends: Ends
    ) -> None:
        self._wants = wants
        self._begins = begins
        self._ends = ends

    def open(self) -> bool:
        """Start; False where somebody else is told already."""
        if sys.getprofile() is not None:
            return False
        threading.setprofile(self._told)
        sys.setprofile(self._told)
        return True

    def close(self) -> None:
        """Stop."""
        if sys.getprofile() == self._told:
            sys.setprofile(None)
            threading.setprofile(None)

    def _told(self, frame: FrameType, event: str, value: object) -> None:
        if event == "call":
            if self._wants(frame.f_code):
                self._begins(frame)
        elif event == "return" and self._wants(frame.f_code):
            self._ends(frame, value, raised=False)


if sys.version_info >= (3, 12):
    _TOOL = 3  # neither a debugger, coverage, a profiler nor an optimizer
    _EVENTS = sys.monitoring.events

    class _Monitoring:
        """All threads; what is not wanted is told of once."""

        def __init__(
            self,
            wants: Callable[[CodeType], bool],
            begins: Callable[[FrameType], None],
            ends: Ends,
        ) -> None:
            self._wants = wants
            self._begins = begins
            self._ends = ends

        def open(self) -> bool:
            """Start; False where somebody else has the number."""
            monitoring = sys.monitoring
            if monitoring.get_tool(_TOOL) is not None:
                return False
            monitoring.use_tool_id(_TOOL, "autograd-lint")
            monitoring.register_callback(_TOOL, _EVENTS.PY_START, self._starts)
            monitoring.register_callback(_TOOL, _EVENTS.PY_RETURN, self._returns)
            monitoring.register_callback(_TOOL, _EVENTS.PY_UNWIND, self._unwinds)
            watched = _EVENTS.PY_START | _EVENTS.PY_RETURN | _EVENTS.PY_UNWIND
            monitoring.set_events(_TOOL, watched)
            monitoring.restart_events()
            return True

        def close(self) -> None:
            """Stop."""
            if sys.monitoring.get_tool(_TOOL) == "autograd-lint":
                sys.monitoring.set_events(_TOOL, 0)
                sys.monitoring.free_tool_id(_TOOL)

        def _starts(self, code: CodeType, _: int) -> object:
            if not self._wants(code):
                return sys.monitoring.DISABLE
            self._begins(sys._getframe(1))
            return None

        def _returns(self, code: CodeType, _: int, value: object) -> object:
            if not self._wants(code):
                return sys.monitoring.DISABLE
            self._ends(sys._getframe(1), value, raised=False)
            return None

        def _unwinds(self, code: CodeType, _: int, error: BaseException) -> None:
            if self._wants(code):
                self._ends(sys._getframe(1), None, raised=True)

    Hook = _Monitoring
else:
    Hook = _Profiling
