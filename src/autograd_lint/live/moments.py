"""What operators do not show: an optimizer begins its step and ends it, saved tensors get hooks.

And what is not to be seen itself: torch.compile leaves the tracer's own frames alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import CodeType
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils.hooks import RemovableHandle

from autograd_lint.live.failure import place_of
from autograd_lint.live.own_frames import passes_on
from autograd_lint.live.patching import Patches
from autograd_lint.live.private import COMPILER_RULES, leave_alone, version_of
from autograd_lint.live.record import Record, Step
from autograd_lint.live.recorder import Recorder
from autograd_lint.live.sites import Site, Sites
from autograd_lint.live.source import line
from autograd_lint.places import Place


class Moments:
    """Tells the running thread's recorder, while open."""

    __slots__ = ("_handles", "_patches", "_record", "_recorder", "_sites", "_steps")

    def __init__(
        self, record: Record, sites: Sites, recorder: Callable[[], Recorder | None]
    ) -> None:
        self._record = record
        self._sites = sites
        self._recorder = recorder
        self._steps: dict[int, Step] = {}  # those that run now, by the recorder of their thread
        self._patches = Patches()
        self._handles: list[RemovableHandle] = []

    def open(self) -> None:
        """Start to tell."""
        self._handles = [
            register_optimizer_step_pre_hook(self._step_begins),
            register_optimizer_step_post_hook(self._step_ends),
        ]
        replace = self._patches.replace
        replace(saved_tensors_hooks, "__enter__", self._hooks(saved_tensors_hooks.__enter__))
        replace(torch.inference_mode, "__enter__", self._inference(torch.inference_mode.__enter__))
        replace(torch.inference_mode, "__exit__", self._left(torch.inference_mode.__exit__))
        replace(torch.Tensor, "register_hook", self._tensor_hook(torch.Tensor.register_hook))
        if COMPILER_RULES in sys.modules:
            leave_alone()
        replace(torch, "compile", _compiling(torch.compile))

    def close(self) -> None:
        """Stop telling."""
        self._patches.close()
        while self._handles:
            self._handles.pop().remove()

    def _step_begins(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        recorder = self._recorder()
        if recorder is None:
            return
        recorder.resume()  # an earlier step may have failed
        site = self._site_of_step(optimizer)
        if recorder.resting.is_on:
            return
        step, alone = Step(None, []), False
        with self._record.looking("a step of an optimizer"):
            parameters = [p for group in optimizer.param_groups for p in group["params"]]
            step = Step(site, [(p, version_of(p)) for p in parameters])
            alone = _computes_alone(optimizer, args, kwargs)
        if alone and recorder.suspend():
            self._steps[id(recorder)] = step
            return
        recorder.enter_step(step, has_closure=len(args) > 1 or bool(kwargs))

    def _site_of_step(self, optimizer: Optimizer) -> Site | None:
        try:
            return self._sites.of_step(type(optimizer).__name__)
        except Exception as error:
            self._record.stumble("where an optimizer steps", error)
            return None

    def _step_ends(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        recorder = self._recorder()
        if recorder is None:
            return
        recorder.resume()
        recorder.leave_step()
        step = self._steps.pop(id(recorder), None)
        if step is not None:
            with self._record.looking("a step of an optimizer"):
                recorder.note_step(step)

    def _tensor_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @passes_on
        @wraps(original)
        def register_hook(tensor: torch.Tensor, hook: Any) -> Any:
            self._record.hooks_used = True  # it runs the program's code in backward
            return original(tensor, hook)

        return register_hook

    def _inference(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @passes_on
        def __enter__(mode: torch.inference_mode) -> None:
            with self._record.looking("where inference mode was entered"):
                self._record.entered = self._entering()
            if (recorder := self._recorder()) is not None:
                recorder.resting.pinned += 1
            original(mode)

        return __enter__

    def _left(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @passes_on
        def __exit__(mode: torch.inference_mode, *details: Any) -> None:
            original(mode, *details)
            if (recorder := self._recorder()) is not None:
                recorder.resting.pinned -= 1

        return __exit__

    def _hooks(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @passes_on
        def __enter__(hooks: saved_tensors_hooks) -> None:
            self._record.hooks_used = True  # their unpack hooks run the program's code in backward
            self._record.pack_hooks = (hooks.pack_hook, hooks.unpack_hook)
            if isinstance(code := getattr(hooks.pack_hook, "__code__", None), CodeType):
                self._record.packing.add(code)
            original(hooks)

        return __enter__

    def _entering(self) -> Place | None:
        """The `with` that enters a mode, or the decorator of the function that it is around."""
        caller = sys._getframe(2)
        if caller.f_code.co_name == "decorate_context":
            decorated = caller.f_locals.get("func")
            code = getattr(decorated, "__code__", None)
            if code is not None:
                return line(str(Path(code.co_filename).absolute()), code.co_firstlineno)
        return place_of(self._sites.here(2))


def _compiling(original: Callable[..., Any]) -> Callable[..., Any]:
    @passes_on
    @wraps(original)
    def compile(*args: Any, **kwargs: Any) -> Any:
        leave_alone()
        return original(*args, **kwargs)

    return compile


def _computes_alone(optimizer: Optimizer, args: Any, kwargs: Any) -> bool:
    """Whether nothing but torch's own code runs in a step, and versions tell what it has written.

    A closure and hooks are the program's; fused optimizers count no versions.
    """
    if not type(optimizer).__module__.startswith("torch.optim") or len(args) > 1 or kwargs:
        return False
    if optimizer._optimizer_step_pre_hooks or optimizer._optimizer_step_post_hooks:
        return False
    options = ("fused", "differentiable")
    return not any(group.get(name) for group in optimizer.param_groups for name in options)
