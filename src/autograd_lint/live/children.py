"""Processes that the program starts: they are not observed, and that is said."""

from __future__ import annotations

import os
from functools import wraps
from multiprocessing.process import BaseProcess
from typing import Any
from weakref import ref

from autograd_lint.live.own_frames import passes_on
from autograd_lint.live.patching import Patches


class Children:
    """Counts them, while open; of what `subprocess` starts nothing is known."""

    __slots__ = ("__weakref__", "_is_open", "_patches", "number")

    def __init__(self) -> None:
        self.number = 0
        self._is_open = False
        self._patches = Patches()
        reference = ref(self)

        def forked() -> None:
            counting = reference()
            if counting is not None and counting._is_open:
                counting.number += 1

        if hasattr(os, "register_at_fork"):  # Windows forks nothing
            os.register_at_fork(after_in_parent=forked)

    def open(self) -> None:
        """Start to count."""
        self._is_open = True
        original: Any = BaseProcess.start

        @passes_on
        @wraps(original)
        def start(process: Any) -> None:
            original(process)
            if getattr(process._popen, "method", "fork") != "fork":  # a fork is counted as such
                self.number += 1

        self._patches.replace(BaseProcess, "start", start)

    def close(self) -> None:
        """Stop counting."""
        self._is_open = False
        self._patches.close()
