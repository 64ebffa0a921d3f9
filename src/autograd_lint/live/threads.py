"""A dispatch mode belongs to one thread: every new thread of the program gets one of its own."""

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any


class NewThreads:
    """While open, threads that start run inside of `within()`; forked processes run `stop`."""

    def __init__(
        self, within: Callable[[], AbstractContextManager[Any]], stop: Callable[[], None]
    ) -> None:
        self._within = within
        self._original: Any = None
        os.register_at_fork(after_in_child=stop)

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
