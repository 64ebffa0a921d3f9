"""Room for the frames of deep calls, which otherwise costs a quarter of the time of a long run.

CPython keeps the frames of a thread in chunks of 16 kB, and gives a chunk back to the system as
soon as its first frame ends. Where calls go to and fro over the end of a chunk, each takes memory
from the system and gives it back. A frame that is larger than a chunk gets a chunk of its own, of
twice its size at most; what is left of that is for the frames of what it calls.

Source: `push_chunk`, `_PyThreadState_PushFrame` and `_PyThreadState_PopFrame` of Python/pystate.c,
3.11 to 3.14. Python 3.10 keeps frames otherwise, and nothing changes there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_SLOTS = 66_000  # of 8 bytes: a little more than half of the chunk of 1 MB that they need


def with_room_for_frames(run: Callable[[], T]) -> T:
    """What `run` returns, called from a frame with much room behind it."""
    return run()


with_room_for_frames.__code__ = with_room_for_frames.__code__.replace(co_stacksize=_SLOTS)
