"""What torch only warns of, though gradients are lost or wrong."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch.utils.checkpoint import CheckpointFunction

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.backward import EngineCalls
from autograd_lint.live.failure import Failure
from autograd_lint.live.messages import classify
from autograd_lint.live.naming import call_at
from autograd_lint.live.post_mortem import explain
from autograd_lint.live.private import without_grad
from autograd_lint.live.sites import Site
from autograd_lint.live.surroundings import Surroundings, here

_PITFALLS = (
    ("is not a leaf Tensor is being accessed", Pitfall.NON_LEAF_GRAD),
    ("None of the inputs have requires_grad", Pitfall.CHECKPOINT_CUTS),
    ("`lr_scheduler.step()` before `optimizer.step()`", Pitfall.SCHEDULER_FIRST),
)
# Torch warns of it in correct programs, too: where no leaf is made of the values, what becomes of
# gradients decides.
_SCALAR = "requires_grad=True to a scalar"
_OTHERS = (
    _SCALAR,
    "mark_dirty",
    "should not be instantiated",
    "use_reentrant parameter",
    "backward hook",
    "autograd kernel was not registered",
    "unspecified requires_grad",
    "Anomaly Detection has been enabled",
)

_TORCH = str(Path(torch.__file__).parent)


def _is_read_by_torch(around: Surroundings) -> bool:
    """Whether code of torch reads the attribute that a warning is about, as its compiler reads all.

    What a function mode (a default device is one) or a subclass does is left out: it only passes on
    what others read.
    """
    codes = (halt.frame.f_code for halt in around.halts)
    reader = next((code for code in codes if code.co_name != "__torch_function__"), None)
    return reader is None or reader.co_filename.startswith(_TORCH)


def _makes_leaf(site: Site) -> bool:
    """Whether the call at a place asks for a tensor that requires grad."""
    call = call_at(site.place)
    flags = (one.value for one in call.keywords if one.arg == "requires_grad") if call else ()
    return any(isinstance(flag, ast.Constant) and flag.value is True for flag in flags)


def _is_run_again() -> bool:
    """Whether the running checkpoint is inside of another one that makes its graph later."""
    frame: FrameType | None = sys._getframe()
    running = 0
    while frame is not None:
        running += frame.f_code is CheckpointFunction.forward.__code__
        frame = frame.f_back
    return running > 1


class Warnings:
    """Looks at every warning that is shown, while open; they are shown as before."""

    __slots__ = ("_calls", "_original")

    def __init__(self, calls: EngineCalls) -> None:
        self._calls = calls
        self._original: Callable[[Any], None] | None = None

    def open(self) -> None:
        """Start to look."""
        module: Any = warnings
        original = self._original = module._showwarnmsg

        def _showwarnmsg(shown: Any) -> None:
            self._look(shown.message)
            original(shown)

        module._showwarnmsg = _showwarnmsg

    def close(self) -> None:
        """Leave warnings as they were."""
        if self._original is not None:
            module: Any = warnings
            module._showwarnmsg = self._original
            self._original = None

    def _look(self, warning: Any) -> None:
        with self._calls.record.looking("a warning"):
            fault = self._fault(warning)
            if fault is not None:
                self._calls.faults.append(fault)

    def _fault(self, warning: Any) -> Fault | None:
        text = str(warning)
        pitfall = next((kind for part, kind in _PITFALLS if part in text), None)
        if pitfall is Pitfall.CHECKPOINT_CUTS and _is_run_again():
            return None
        if pitfall is None and not any(part in text for part in _OTHERS):
            return None
        around = here(self._calls.sites, 2)
        if pitfall is Pitfall.NON_LEAF_GRAD and _is_read_by_torch(around):
            return None
        kind = (pitfall is None and classify(text)) or FaultKind.OTHER
        site = next(iter(around.user_sites()), None) or self._calling()
        if _SCALAR in text and not (site is not None and _makes_leaf(site)):
            return None
        failure = Failure(kind, warning, site, around)
        with without_grad():
            fault = explain(failure, self._calls.record)
        return replace(fault, kind=pitfall or fault.kind, warned=True)

    def _calling(self) -> Site | None:
        """The latest call of the engine that runs, which computes in a thread of its own."""
        calls = self._calls.running.here.calls
        return calls[-1].site if calls else None
