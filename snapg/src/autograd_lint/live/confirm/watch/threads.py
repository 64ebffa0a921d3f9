"""Grad mode that was switched where something begins, and does not get to where it runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from functools import wraps
from threading import Thread
from typing import Any

import torch
from torch.utils._contextlib import _DecoratorContextManager

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Rows, Sights
from autograd_lint.live.patching import Patches
from autograd_lint.live.private import sequence_number


class Threads:
    """Looks at threads that are started without grad mode, and at coroutines decorated so."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights

    def open(self, patches: Patches) -> None:
        """Start to look."""
        start: Any = Thread.start
        decorate: Any = _DecoratorContextManager.__call__

        @wraps(start)
        def starting(thread: Any) -> None:
            if not torch.is_grad_enabled():
                thread.run = self._run(thread.run, self._sights.rows())
            start(thread)

        @wraps(decorate)
        def decorating(mode: Any, function: Any) -> Any:
            if inspect.iscoroutinefunction(function) and not isinstance(mode, torch.enable_grad):
                row = function.__code__.co_firstlineno
                function = self._awaited(function, frozenset({row}))
            return decorate(mode, function)

        patches.replace(Thread, "start", starting)
        patches.replace(_DecoratorContextManager, "__call__", decorating)

    def _run(self, run: Callable[[], None], rows: Rows) -> Callable[[], None]:
        @wraps(run)
        def running() -> None:
            before = sequence_number()
            try:
                run()
            finally:
                self._look(before, rows)

        return running

    def _awaited(
        self, function: Callable[..., Coroutine[Any, Any, Any]], rows: Rows
    ) -> Callable[..., Coroutine[Any, Any, Any]]:
        @wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            before = sequence_number()
            try:
                return await function(*args, **kwargs)
            finally:
                self._look(before, rows)

        return awaited

    def _look(self, before: int, rows: Rows) -> None:
        """What was to run without grad mode has run: did it make nodes?"""
        if sequence_number() != before:
            self._sights.add(Pitfall.MODE_NOT_INHERITED, rows)
