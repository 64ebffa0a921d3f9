"""A dispatch mode belongs to one thread: every new thread of the program gets one of its own."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol
from weakref import ref

from autograd_lint.live.own_frames import leave_out, passes_on


class Stoppable(Protocol):
    """Ends what it does in a forked process."""

    def stop_in_child(self) -> None:
        """The process was forked."""


def stop_in_children(one: Stoppable) -> None:
    """Stop it in forked processes, as long as it is there."""
    reference = ref(one)

    def stopped() -> None:
        alive = reference()
        if alive is not None:
            alive.stop_in_child()

    if hasattr(os, "register_at_fork"):  # Windows forks nothing
        os.register_at_fork(after_in_child=stopped)


def _plainly(told: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
    @passes_on
    def invoke(thread: threading.Thread) -> None:
        """What tells of an exception that ends a thread."""
        leave_out(sys.exc_info()[1])
        told(thread)

    return invoke


class NewThreads:
    """While open, threads that start run inside of `within(thread)`."""

    __slots__ = ("_original", "_within")

    def __init__(self, within: Callable[[threading.Thread], AbstractContextManager[Any]]) -> None:
        self._within = within
        self._original: Any = None

    def open(self) -> None:
        """Start to hand out modes."""
        original = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]
        within = self._within
        self._original = original

        @passes_on
        def _bootstrap_inner(thread: Any) -> None:
            thread._invoke_excepthook = _plainly(thread._invoke_excepthook)
            with within(thread):
                original(thread)

        threading.Thread._bootstrap_inner = _bootstrap_inner  # type: ignore[attr-defined]

    def close(self) -> None:
        """Leave threads as they were."""
        if self._original is not None:
            threading.Thread._bootstrap_inner = self._original  # type: ignore[attr-defined]
            self._original = None
