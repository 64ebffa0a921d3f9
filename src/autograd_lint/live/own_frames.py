"""Tracebacks as they would be without the tracer.

Its frames stand around calls of the engine, and below the program itself. Those that hand on what
the program asked for are left out; of an exception that began in any other, nothing is.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeVar

from autograd_lint.live.patching import Patches

_OWN = str(Path(__file__).resolve().parent)
_STARTING = str(Path(_OWN) / "program.py")
_CLI = str(Path(_OWN) / "command.py")
_OPERATORS = str(Path("torch") / "_ops.py")
_WALKS = ("walk_tb", "_walk_tb_with_full_positions")
_MOST_FILES = 4_096  # of which it is remembered whether they are the tracer's
_PASSING: set[CodeType] = set()
_Step = TypeVar("_Step")
_Function = TypeVar("_Function", bound=Callable[..., Any])


def passes_on(function: _Function) -> _Function:
    """Mark a function that does what the program asked for, and nothing else that could raise."""
    _PASSING.add(function.__code__)
    return function


class PlainTracebacks:
    """While open, what the program prints of a stack is without the tracer's frames."""

    __slots__ = ("_patches",)

    def __init__(self) -> None:
        self._patches = Patches()

    def open(self) -> None:
        """Start to leave them out."""
        for name in _WALKS:
            if hasattr(traceback, name):
                self._patches.replace(traceback, name, _without_own(getattr(traceback, name)))
        self._patches.replace(traceback, "walk_stack", _from_program(traceback.walk_stack))

    def close(self) -> None:
        """Leave tracebacks as they were."""
        self._patches.close()


def _without_own(walk: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    def walked(part: TracebackType | None) -> Iterator[Any]:
        return _programs(walk(part), lambda step: step[0])

    return walked


def _from_program(walk: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    def walked(frame: FrameType | None) -> Iterator[Any]:
        if frame is None:
            return walk(frame)  # it counts the frames between itself and who asked
        own = takewhile(lambda step: step[0].f_code.co_filename != _STARTING, walk(frame))
        return (step for step in own if not _is_own(step[0].f_code.co_filename))

    return walked


def leave_out(error: BaseException | None) -> None:
    """Take the frames of the tracer out of an exception and of all that it tells of."""
    told: list[BaseException] = []
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and all(one is not other for other in told):
            told.append(one)
            one.__traceback__ = _pruned(one.__traceback__)
            waiting += (one.__cause__, one.__context__, *getattr(one, "exceptions", ()))


def _pruned(part: TracebackType | None) -> TracebackType | None:
    parts = []
    while part is not None:
        parts.append(part)
        part = part.tb_next
    if any(_is_at_fault(one.tb_frame.f_code) for one in parts):
        return parts[0]
    result = None
    for one in reversed([*_programs(parts, lambda one: one.tb_frame)]):
        result = TracebackType(result, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return result


def _is_at_fault(code: CodeType) -> bool:
    """Whether a frame is of the tracer and does something of its own."""
    if code.co_filename in (_STARTING, _CLI) or code in _PASSING:
        return False
    return _is_own(code.co_filename)


def _programs(steps: Iterable[_Step], frame_of: Callable[[_Step], FrameType]) -> Iterator[_Step]:
    """The steps that the program takes itself, the outermost first."""
    own = False
    for step in steps:
        code = frame_of(step).f_code
        # Below a dispatch mode, torch calls operators from Python.
        own = _is_own(code.co_filename) or (own and code.co_filename.endswith(_OPERATORS))
        if not own:
            yield step


@lru_cache(_MOST_FILES)
def _is_own(filename: str) -> bool:
    return filename.startswith(_OWN) or os.path.realpath(filename).startswith(_OWN)
