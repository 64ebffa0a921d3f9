"""Whether an exception is about autograd, and of which class.

Most are known by their message (`messages.py`). Others are known by where they come from: torch's
own autograd code, the methods of a custom Function, a `.grad` that is None.
"""

import dis
import re
from types import FrameType, TracebackType
from typing import Any

import torch

from autograd_lint.engine.faults import FaultKind
from autograd_lint.live.causes.numbers import NUMBER, of_missing_gradient
from autograd_lint.live.failure import Failure
from autograd_lint.live.messages import classify
from autograd_lint.live.record import Record
from autograd_lint.live.sites import Sites, first_argument
from autograd_lint.live.surroundings import of_error

_SPEAKS = re.compile(
    r"autograd|vmap|functorch|[Ff]orward (mode )?AD|forward grad|[Dd]ual (level|[Tt]ensor)"
    r"|requires?[ _]grad|grad_(output|input|dtype|fn)|gradient|backward|\bleaf\b|is_leaf"
    r"|saved[ _]tensor|\bgrad\b|nn\.Parameter|[Ii]nference ?[Mm]ode|__setstate__"
    r"|version counter|returned nan values|custom operator"
    r"|hook '\w+' has changed|but hook returned|replace a None gradient"
    r"|since the last update\(\)|inf checks|LBFGS|closure"
)
_CODE = (
    "/torch/autograd/",
    "/torch/_functorch/",
    "/torch/utils/checkpoint.py",
    "/torch/utils/hooks.py",
    "/torch/optim/lbfgs.py",
    "/torch/amp/grad_scaler.py",
)
_CALLS = re.compile(
    r"\b(forward|backward|jvp|vjp|setup_context)\(\) (takes|missing)|missing a required argument"
)
_OF_DEVICES = ("OutOfMemoryError", "AcceleratorError", "_DistError")  # and of other processes
_NEVER = (
    *(ImportError, LookupError, OSError),
    *(getattr(torch._C, name) for name in _OF_DEVICES if hasattr(torch._C, name)),
)  # whatever their text speaks of
_ENGINE = "_engine_run_backward"
_CALLED_BACK = ("backward", "jvp", "vjp")


def failure_of(error: BaseException, sites: Sites, record: Record) -> Failure | None:
    """The failure that an exception which no call of the engine raised tells of.

    None where it is not about autograd.
    """
    around = of_error(error, sites)
    raised = next(iter(around.user_sites()), None)
    failure = Failure(FaultKind.OTHER, error, raised, around)
    kind = kind_of(failure, record)
    return None if kind is None else Failure(kind, error, raised, around)


def kind_of(failure: Failure, record: Record) -> FaultKind | None:
    """The class of a failure; None where it is not about autograd."""
    known = classify(failure.error)
    if known is not None:
        return known
    latest = _innermost(failure.error.__traceback__)
    if isinstance(failure.error, _NEVER):
        return None
    if latest is None or _is_raised_here(latest, failure):
        return None
    frame = latest.tb_frame
    called_back = frame.f_code.co_name in _CALLED_BACK and _is_context(first_argument(frame))
    if called_back or _is_call_of_function(failure):
        return FaultKind.CUSTOM_FUNCTION
    if NUMBER.search(failure.message) or _SPEAKS.search(failure.message):
        return FaultKind.OTHER
    if _is_of_autograd(frame) and not _passes_through_engine(latest):
        return FaultKind.OTHER
    return FaultKind.OTHER if of_missing_gradient(failure, record) else None


def _innermost(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback


def _is_raise(latest: TracebackType) -> bool:
    """Whether a `raise` (or `assert`) raises it, not what is called there."""
    return dis.opname[latest.tb_frame.f_code.co_code[latest.tb_lasti]] == "RAISE_VARARGS"


def _is_raised_here(latest: TracebackType, failure: Failure) -> bool:
    """Whether the program itself raises it with a `raise` of its own."""
    raised = failure.raised
    return raised is not None and latest.tb_frame.f_code is raised.code and _is_raise(latest)


def _passes_through_engine(latest: TracebackType) -> bool:
    """Whether the engine raises it, which may be an error of the device or of another process."""
    return latest.tb_frame.f_code.co_name == _ENGINE and not _is_raise(latest)


def _is_of_autograd(frame: FrameType) -> bool:
    filename = frame.f_code.co_filename.replace("\\", "/")
    return any(part in filename for part in _CODE)


def _is_context(value: Any) -> bool:
    return isinstance(value, torch.autograd.function.FunctionCtx)


def _is_call_of_function(failure: Failure) -> bool:
    """Whether the methods of a custom Function are not to be called as they were."""
    is_call = isinstance(failure.error, TypeError) and _CALLS.search(failure.message)
    return bool(is_call) and next(failure.around.functions(), None) is not None
