"""Hooks: which of the program's an error speaks of, and where it stands."""

import gc
import re
from collections.abc import Iterator
from dataclasses import replace
from types import FunctionType
from typing import Any

import torch

from autograd_lint.engine.events import Noted
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.live.definitions import result
from autograd_lint.live.failure import Failure, made
from autograd_lint.live.reading import is_a
from autograd_lint.live.record import Record
from autograd_lint.live.surroundings import functions_in

_SPEAKS = re.compile(r"\bhooks?\b|_hook\b|BackwardHookFunction", re.IGNORECASE)
_NAMED = re.compile(r"hook '(\w+)' has changed")
_KEPT = ("_backward_hooks", "_backward_pre_hooks")


def of_hook(failure: Failure, record: Record) -> Fault | None:
    """The fault with the hook that is to blame; None where no hook is known."""
    if not _SPEAKS.search(failure.message):
        return None
    hook = next(_hooks(failure, record), None)
    place = result(hook) if hook is not None else None
    if place is None:
        return None
    return replace(failure.fault, noted=(Noted(place, "the hook"),))


def _hooks(failure: Failure, record: Record) -> Iterator[FunctionType]:
    if failure.kind is FaultKind.VIEW_MODIFIED:
        yield from _around_the_view(failure, record)
    pack, unpack = (*record.pack_hooks, None, None)[:2]
    if "pack hook" in failure.message or "unpack_hook" in failure.message:
        yield from functions_in(unpack if "unpack" in failure.message else pack)
    named = _NAMED.search(failure.message)
    if named is not None:
        yield from _called(named[1], failure)
    yield from failure.around.callables()
    for module in failure.around.modules():
        for name in _KEPT:
            yield from functions_in(_values(module, name))


def _called(name: str, failure: Failure) -> Iterator[FunctionType]:
    """The program's functions of a name, which torch's message gives and nothing leads to."""
    functions = (one for one in gc.get_objects() if type(one) is FunctionType)
    yield from (one for one in functions if one.__name__ == name and failure.around.is_user(one))


def _around_the_view(failure: Failure, record: Record) -> Iterator[FunctionType]:
    """The hooks of the module that made the view, as the line that made it names the module."""
    views = (tensor for _, tensor in failure.around.tensors() if tensor._is_view())
    view = next(views, None)
    origin = made(view, record) if view is not None else None
    if origin is None or origin.place is None:
        return
    for _, value in failure.around.named_at(origin.place):
        for module in value.modules() if is_a(value, torch.nn.Module) else ():
            for name in _KEPT:
                yield from functions_in(_values(module, name))


def of_callback(failure: Failure, record: Record) -> Fault | None:
    """A function of the program that torch was given and has called."""
    place = next((result(one) for one in failure.around.callables()), None)
    return replace(failure.fault, noted=(Noted(place, "called by torch"),)) if place else None


def _values(module: torch.nn.Module, name: str) -> list[Any]:
    return list(getattr(module, name, {}).values())
