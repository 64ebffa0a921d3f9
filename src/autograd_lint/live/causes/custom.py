"""A custom Function that breaks what autograd asks of it: which, and which line of it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch

from autograd_lint.engine.events import Created, Noted
from autograd_lint.engine.faults import Fault
from autograd_lint.live import graph
from autograd_lint.live.definitions import call_in, definition, result
from autograd_lint.live.failure import Failure, place_of
from autograd_lint.live.record import Record
from autograd_lint.live.surroundings import Function
from autograd_lint.places import Place

Finder = Callable[[Function], Place | None]
_METHODS = ("forward", "setup_context", "backward", "vjp", "jvp")


def of_function(failure: Failure, record: Record) -> Fault:
    """The fault with the line of the Function that is to change, where the message tells it."""
    function = function_of(failure)
    if function is None:
        return failure.fault
    place = _blamed(function, failure)
    built = Created(place, function.__name__) if place else None
    noted: tuple[Noted, ...] = ()
    if "once_differentiable" in failure.message:
        call = record.calls.latest_creating()
        noted = (Noted(place_of(call.site), "differentiated here"),) if call else ()
    return replace(failure.fault, operator=function.__name__, built=built, noted=noted)


def of_gradcheck(failure: Failure, record: Record) -> Fault | None:
    """A gradient that is not that of the forward: what `backward` returns."""
    function = function_of(failure) if "Jacobian mismatch" in failure.message else None
    if function is None:
        return None
    noted = Noted(result(_own(function, "backward")), "the gradient is computed here")
    return replace(failure.fault, noted=(noted,))


def function_of(failure: Failure) -> Function | None:
    """The Function that the message names, else the one at hand, else the youngest one."""
    nodes = [node for node in failure.nodes() if hasattr(node, "_forward_cls")]
    named = [node for node in nodes if graph.name_of(node) in failure.message]
    node = max(named or nodes, key=lambda node: graph.sequence_of(node) or -1, default=None)
    near: Function | None = next(failure.around.functions(), None)
    if "once_differentiable" in failure.message:
        return next(_once_differentiable(failure), near)
    if named or near is None:
        return None if node is None else node._forward_cls
    return near


def _once_differentiable(failure: Failure) -> Iterator[Function]:
    """The program's Functions with the mark; their own nodes are not in the second graph."""
    stack: list[Any] = [torch.autograd.Function]
    while stack:
        function = stack.pop()
        stack += function.__subclasses__()
        backward = function.backward
        inner = getattr(backward, "__wrapped__", None)
        if inner is not None and failure.around.is_user(inner):
            yield function


def _blamed(function: Function, failure: Failure) -> Place | None:
    for pattern, find in _BLAMED:
        if re.search(pattern, failure.message) and (place := find(function)) is not None:
            return place
    inside = failure.raised is not None and failure.raised.code.co_name in _METHODS
    return None if inside else result(function.backward)


def _own(function: Function, method: str) -> Any:
    """A method that the program defines; None where it is torch's own."""
    return vars(function).get(method) and getattr(function, method)


def _defined(*methods: str) -> Finder:
    def find(function: Function) -> Place | None:
        places = (definition(_own(function, method)) for method in methods)
        return next((place for place in places if place), None)

    return find


def _returned(method: str) -> Finder:
    return lambda function: result(_own(function, method))


def _called(name: str) -> Finder:
    def find(function: Function) -> Place | None:
        places = (call_in(_own(function, method), name) for method in _METHODS)
        return next((place for place in places if place), None)

    return find


# The first pattern that is found in the message, and has a place, decides.
_BLAMED: tuple[tuple[str, Finder], ...] = (
    ("once_differentiable", _defined("backward")),
    ("were not returned", _returned("forward")),
    ("mark_dirty|modifies inplace an input", _called("mark_dirty")),
    ("mark_non_differentiable", _called("mark_non_differentiable")),
    ("save_for_backward|saved for backward|values to unpack", _called("save_for_backward")),
    ("tuple index out of range", _called("save_for_backward")),
    ("NoneType", _called("set_materialize_grads")),
    ("Implementing both", _defined("vjp")),
    (r"backward\(\) (takes|missing)", _defined("backward", "vjp")),
    (r"setup_context\(\) (takes|missing)", _defined("setup_context")),
    (r"jvp\(\) (takes|missing)", _defined("jvp")),
    (r"forward\(\) (takes|missing)|missing a required argument", _defined("forward")),
    ("must implement|functorch transforms|vmap support", _defined(*_METHODS)),
    ("jvp|forward mode gradients|forward gradients", _returned("jvp")),
)
