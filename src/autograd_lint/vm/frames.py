"""The activations of a run, inside each other: who called, and from where."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from autograd_lint.engine.events import Created
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.scope import Missing, Scope
from autograd_lint.vm.values import Function, Instance, Items, Value

if TYPE_CHECKING:
    from autograd_lint.vm.calls import Call

MAX_DEPTH = 24  # calls of the program's own functions inside each other
MAX_RECURSION = 3  # of one and the same function
MAX_COUNTED = 8  # of one that is given a number, which tells how deep it goes


@dataclass(slots=True, eq=False, repr=False)
class Frame:
    """One activation: a module body, a class body, a function call or the `inner` one of a
    comprehension.

    `call` is the call that is carried out, `resume` what runs while a context manager is suspended
    at its `yield`. `entry` is what led to it from the file that is analysed, once that is known;
    MISSING where nothing did. `switched` is the grad mode that a `with` of its own has set, `leaks`
    a `yield` inside of it, `branch` the `if` or conditional expression whose condition is being
    asked, `firm` that the program ends on one side of it where something is not given. `told` is
    what comparisons and conditions come to in this round, `mark` what the graph knows the
    activation by when it is long over.
    """

    scope: Scope
    source: Source
    function: Function | None = None
    receiver: Value = None
    yielded: Items | None = None
    branch: ast.If | ast.IfExp | None = None
    firm: bool = False
    told: dict[ast.AST, bool] = field(default_factory=dict)
    switched: Created | None = None
    leaks: Created | None = None
    resume: Callable[[Value], None] | None = None
    entry: ast.AST | Missing | None = None
    inner: bool = False
    call: Call | None = None
    mark: object | None = field(default_factory=object)


def forward_of(frame: Frame) -> Instance | None:
    """The module whose `forward` a frame runs; None of another function."""
    forward = frame.function is not None and frame.function.name == "forward"
    return frame.receiver if forward and isinstance(frame.receiver, Instance) else None


def call_place(frames: Sequence[Frame]) -> Place | None:
    """Where the function that runs was called; None where no code of a file has called it."""
    return called_at(frames[-2], frames[-1]) if len(frames) > 1 else None


def called_at(caller: Frame, frame: Frame) -> Place | None:
    """Where one activation has called another one; None where no code of its file did so."""
    call, source = frame.call, caller.source
    return source.place(call.node) if call is not None and source.holds(call.node) else None


def path(frames: Sequence[Frame]) -> tuple[Place, ...]:
    """The calls of the program that led to what runs, the outermost first."""
    places = (called_at(caller, frame) for caller, frame in pairwise(frames))
    return tuple(place for place in places if place is not None)


def outside_models(frames: Sequence[Frame], node: ast.AST) -> tuple[Frame, ast.AST]:
    """The innermost frame of code that is no model of a library, with the node that is run in it:
    the call of the model where `node` stands in one."""
    last, called = frames[-1], node
    if not last.source.stands_for:
        return last, node
    for frame in reversed(frames):
        if not frame.source.stands_for:
            return (frame, called) if frame.source.holds(called) else (last, node)
        if frame.call is not None:
            called = frame.call.node
    return last, node


def left_by(frames: Sequence[Frame], own: Source) -> ast.AST | None:
    """What stands in the file that is analysed where other files' code runs, if that runs.

    A method that runs in the midst of a backward is called by no code of the file: the node to
    blame for its call stands where the graph was built.
    """
    if not frames or frames[-1].source is own:
        return None
    for caller, frame in zip(frames[-2::-1], frames[:0:-1], strict=False):
        if caller.source is own and frame.call is not None:
            return frame.call.node if own.holds(frame.call.node) else None
    return None


def handed(frames: Sequence[Frame], values: Sequence[Value]) -> Place | None:
    """Where the function that runs was given all of these values, the outermost such call."""
    found: Place | None = None
    for caller, frame in zip(frames[-2::-1], frames[:0:-1], strict=False):
        if frame.inner:
            continue
        call = frame.call
        given = [] if call is None else [*call.args, *call.keywords.values()]
        if not all(any(one is value for value in given) for one in values):
            break
        found = called_at(caller, frame) or found
    return found


def may_enter(frames: Sequence[Frame], function: Function, args: Sequence[Value] = ()) -> bool:
    """Whether a call with those arguments may be followed: neither too deep nor too often into
    itself."""
    if len(frames) >= MAX_DEPTH:
        return False
    counted = any(type(one) is int for one in args)
    return activations(frames, function) < (MAX_COUNTED if counted else MAX_RECURSION)


def activations(frames: Sequence[Frame], function: Function) -> int:
    """How often a function runs already, in calls inside each other."""
    definition, found = function.definition, 0
    for frame in frames:
        running = frame.function
        if running is not None and running.definition is definition and not frame.inner:
            found += 1
    return found
