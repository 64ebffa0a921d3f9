"""What is known of the running thread. What the engine runs for a GPU counts as its caller's.

Hooks, custom Functions and what checkpoints compute again run in a thread of the engine where the
graph is on a GPU, while the thread that called the engine waits (`Engine::thread_main` in PyTorch's
`torch/csrc/autograd/engine.cpp`).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from autograd_lint.live.calls import Call
from autograd_lint.live.recorder import Recorder


@dataclass(slots=True, eq=False)
class Thread:
    """Its dispatch mode, the calls of the engine that run, the outermost first, and the message
    that an inner one has explained."""

    recorder: Recorder | None = None
    calls: list[Call] = field(default_factory=list)
    explained: str | None = None

    @property
    def rests(self) -> bool:
        """Whether its operators are not observed at present."""
        return self.recorder is not None and self.recorder.resting.is_on


class RunningThreads:
    """What is known of each thread, and which of them wait for the engine."""

    __slots__ = ("_local", "_waiting")

    def __init__(self) -> None:
        self._local = threading.local()
        self._waiting: list[Thread] = []

    @property
    def here(self) -> Thread:
        """The running thread; in one of the engine's own that which has called it last."""
        known: Thread | None = getattr(self._local, "thread", None)
        if known is not None:
            return known
        if self._waiting and threading.get_ident() not in threading._active:  # type: ignore[attr-defined]
            return self._waiting[-1]
        made = self._local.thread = Thread()
        return made

    def begins(self, call: Call, thread: Thread | None = None) -> Thread:
        """The running thread, `thread` where that is known, calls the engine."""
        thread = thread or self.here
        if not thread.calls:
            self._waiting.append(thread)
        thread.calls.append(call)
        return thread

    def ends(self, thread: Thread) -> None:
        """Its latest call has ended."""
        thread.calls.pop()
        if not thread.calls:
            self._waiting.remove(thread)
