"""Where a value was handed to the code that stores it: who computes a value can cut it off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from autograd_lint.vm.frames import called_at
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Mapping, Unknown, Value

if TYPE_CHECKING:
    from autograd_lint.checkers.containers import GrowingContainers

PARTS = 2  # containers in containers that a value may be handed over in


def handed_over(interp: Interpreter, containers: GrowingContainers, value: Value) -> Place | None:
    """Where a value, or the tensors in it, set out to those who brought it here unchanged.

    It is the outermost call that was given it, or where it was put into what that call was given.
    The code of a library, which gives it to a hook, is not there to be changed.
    """
    kept, found = _parts(value), None
    for caller, frame in zip(interp.frames[-2::-1], interp.frames[:0:-1], strict=False):
        if frame.inner:
            continue
        call = frame.call
        given = [] if call is None else [*call.args, *call.keywords.values()]
        bringing = next((one for one in given if kept & _parts(one)), None)
        if call is None or bringing is None or caller.source.stands_for:
            break
        place = called_at(caller, frame)
        if place is not None:
            found = _put(containers, bringing, kept) or place
    return found


def _put(containers: GrowingContainers, container: Value, kept: set[int]) -> Place | None:
    """Where one of the tensors was put into a container that was there before."""
    if not isinstance(container, (Items, Mapping)):
        return None
    added = (
        place
        for (_, place), values in containers.taken.items()
        for value, items in values
        if items is container and kept & _parts(value)
    )
    return next(added, None)


def _parts(value: Value, depth: int = PARTS) -> set[int]:
    """The tensors with a graph, and what is unknown, in a value: not what an object holds."""
    if isinstance(value, (Unknown, Tensor)):
        return {id(value)} if isinstance(value, Unknown) or value.node is not None else set()
    if not depth or not isinstance(value, (Items, Mapping)):
        return set()
    inside = value.items if isinstance(value, Items) else list(value.entries.values())
    return set[int]().union(*(_parts(one, depth - 1) for one in inside))
