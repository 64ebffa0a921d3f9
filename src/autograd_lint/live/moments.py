"""What operators do not show: an optimizer begins its step and ends it, saved tensors get hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.autograd.graph import saved_tensors_hooks
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from autograd_lint.live.record import Record
from autograd_lint.live.recorder import Recorder
from autograd_lint.live.sites import Sites


class Moments:
    """Tells the running thread's recorder, while open."""

    def __init__(
        self, record: Record, sites: Sites, recorder: Callable[[], Recorder | None]
    ) -> None:
        self._record = record
        self._sites = sites
        self._recorder = recorder
        self._undo: list[Callable[[], None]] = []

    def open(self) -> None:
        """Start to tell."""
        before = register_optimizer_step_pre_hook(self._step_begins)
        after = register_optimizer_step_post_hook(self._step_ends)
        self._undo += [before.remove, after.remove, self._watch_hooks()]

    def close(self) -> None:
        """Stop telling."""
        while self._undo:
            self._undo.pop()()

    def _step_begins(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        recorder = self._recorder()
        if recorder is not None:
            recorder.optimizer_site = self._sites.of_step(type(optimizer).__name__)

    def _step_ends(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        recorder = self._recorder()
        if recorder is not None:
            recorder.optimizer_site = None

    def _watch_hooks(self) -> Callable[[], None]:
        original = saved_tensors_hooks.__enter__

        def __enter__(hooks: saved_tensors_hooks) -> None:
            self._record.hooks_used = True  # their unpack hooks run the program's code in backward
            original(hooks)

        saved_tensors_hooks.__enter__ = __enter__  # type: ignore[method-assign]

        def undo() -> None:
            saved_tensors_hooks.__enter__ = original  # type: ignore[method-assign]

        return undo
