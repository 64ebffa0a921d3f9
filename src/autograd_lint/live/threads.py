"""A dispatch mode belongs to one thread: every new thread of the program gets one of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from weakref import WeakMethod


def _in_children(stop: WeakMethod[Callable[[], None]]) -> None:
    """Run `stop` in forked processes, as long as there is what it belongs to."""

    def stopped() -> None:
        alive = stop()
        if alive is not None:
            alive()

    os.register_at_fork(after_in_child=stopped)


class NewThreads:
    """While open, threads that start run inside of `within()`; forked processes run `stop`."""

    def __init__(
        self, within: Callable[[], AbstractContextManager[Any]], stop: Callable[[], None]
    ) -> None:
        self._within = within
        self._original: Any = None
        _in_children(WeakMethod(stop))

    def open(self) -> None:
        """Start to hand out modes."""
        original = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]
        within = self._within
        self._original = original

        def _bootstrap_inner(thread: threading.Thread) -> None:
            with within():
                original(thread)

        threading.Thread._bootstrap_inner = _bootstrap_inner  # type: ignore[attr-defined]

    def close(self) -> None:
        """Leave threads as they were."""
        if self._original is not None:
            threading.Thread._bootstrap_inner = self._original  # type: ignore[attr-defined]
            self._original = None
