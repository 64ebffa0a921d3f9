"""What the functions that run at present are there for: a custom Function, or a pack hook."""

from __future__ import annotations

import sys
from collections.abc import Collection
from types import CodeType, FrameType

import torch

from autograd_lint.live.private import sequence_number
from autograd_lint.live.sites import Site

_FUNCTION = torch.autograd.function.__file__


def running_forward() -> int | None:
    """The number of the node of the custom Function whose forward computes at present: of several
    around each other the outermost one, for the others have no edges."""
    inner: FrameType = sys._getframe()
    forward: FrameType | None = None
    while (outer := inner.f_back) is not None:
        if outer.f_code.co_name == "apply" and outer.f_code.co_filename == _FUNCTION:
            forward = inner
        inner = outer
    return None if forward is None else _number_of_context(forward, sequence_number() - 1)


def frame_of(site: Site) -> FrameType | None:
    """The innermost running function of a place; None where it does not run in this thread."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not site.code:
        frame = frame.f_back
    return frame


def is_running_any(codes: Collection[CodeType]) -> bool:
    """Whether a function with one of these codes runs."""
    frame: FrameType | None = sys._getframe() if codes else None
    while frame is not None:
        if frame.f_code in codes:
            return True
        frame = frame.f_back
    return False


def instruction(depth: int) -> tuple[int, int] | None:
    """The instruction that runs in the frame so many above the caller, by its code; None where
    nothing written in Python has called that, as in a thread of the engine."""
    try:
        frame = sys._getframe(depth + 1)
    except ValueError:
        return None
    return id(frame.f_code), frame.f_lasti


def _number_of_context(forward: FrameType, latest: int) -> int:
    """The number of the node that a forward is given as its context; `latest` where it has none."""
    for name in forward.f_code.co_varnames[: min(2, forward.f_code.co_argcount)]:
        given = forward.f_locals.get(name)
        if isinstance(given, torch.autograd.function.BackwardCFunction):
            return int(given._sequence_nr())
    return latest
