"""Learning-rate schedulers that step in another rhythm than the one they were made for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import METRIC, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.effects import effects_in
from autograd_lint.libraries.torch.events import SchedulerStepped, SchedulerTold
from autograd_lint.places import Place
from autograd_lint.project.code import code_of, length_of
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance, Unknown, Value

# Which argument says how long the schedule is: its position and its name.
LENGTHS = {
    "CosineAnnealingLR": (1, "T_max"),
    "MultiStepLR": (1, "milestones"),
    "PolynomialLR": (1, "total_iters"),
    "LinearLR": (3, "total_iters"),
    "OneCycleLR": (2, "total_steps"),
}
TELLING_EPOCHS = {"CosineAnnealingWarmRestarts"}  # take parts of an epoch
TAKING_METRICS = {"ReduceLROnPlateau"}


class SchedulerRhythm(Checker):
    """Looks at each step of a scheduler."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, SchedulerStepped, cls.scheduler_stepped)
        to.add(cls, SchedulerTold, cls.scheduler_told)

    def scheduler_stepped(self, interp: Interpreter, event: SchedulerStepped) -> None:
        """A scheduler steps: in which loop?"""
        call, loops = event.scheduler.made_at, list(_loops(interp, event.node))
        if not isinstance(call, ast.Call):
            return
        length = _length(_name(event.scheduler), call)
        inner = len(loops) > 1 and any(_lasts(length, loop) for _, loop in loops[1:])
        counted = list(_counted(_name(event.scheduler), call))
        counts_steps = bool(counted)
        if (inner and not counts_steps) or (counts_steps and _is_once_an_epoch(loops, counted)):
            made = Created(_made_at(interp, call), _name(event.scheduler))
            note(interp, Pitfall.SCHEDULER_OUT_OF_STEP, event.place, built=made)

    def scheduler_told(self, interp: Interpreter, event: SchedulerTold) -> None:
        """A scheduler is given something: an epoch, or a metric?"""
        name, call = _name(event.scheduler), event.scheduler.made_at
        if name in TELLING_EPOCHS | TAKING_METRICS or not _is_metric(event.value):
            return
        made = Created(_made_at(interp, call), name) if call is not None else None
        place = interp.place(event.node)
        note(interp, Pitfall.SCHEDULER_OUT_OF_STEP, place, built=made, detail=METRIC)


def _name(scheduler: Instance) -> str:
    cls = scheduler.cls
    return cls.path.rpartition(".")[2] if isinstance(cls, External) else cls.name


def _made_at(interp: Interpreter, call: ast.AST) -> Place | None:
    """Where the scheduler was made, if that is in a file that is being run."""
    frame = next((one for one in reversed(interp.frames) if one.source.holds(call)), None)
    return frame.source.place(call) if frame is not None else None


def _length(name: str, call: ast.Call) -> ast.expr | None:
    """The code of the length of a schedule; of milestones the last one."""
    position, keyword = LENGTHS.get(name, (0, ""))
    named = (one.value for one in call.keywords if keyword and one.arg == keyword)
    placed = call.args[position] if 0 < position < len(call.args) else None
    found = next(named, placed)
    if isinstance(found, (ast.List, ast.Tuple)):
        return found.elts[-1] if found.elts else None
    return found


def _counted(name: str, call: ast.Call) -> Iterator[ast.expr]:
    """The numbers that a scheduler was told of steps in an epoch."""
    yield from (one.value for one in call.keywords if one.arg == "steps_per_epoch")
    length = _length(name, call)
    yield from _lengths(length) if length is not None else ()


def _lengths(code: ast.expr) -> Iterator[ast.Call]:
    """The calls of `len` in an expression."""
    for one in ast.walk(code):
        if isinstance(one, ast.Call) and length_of(one) is not None:
            yield one


def _loops(interp: Interpreter, node: ast.AST) -> Iterator[tuple[Source, ast.For]]:
    """The loops around a call, and around the calls that have led to it, the innermost first."""
    for frame in reversed(interp.frames):
        row = getattr(node, "lineno", 0)
        function = frame.function.node if frame.function is not None else None
        first = function.lineno if function is not None else 0
        around = (one for one in frame.source.each(ast.For) if one.lineno >= first)
        held = [one for one in around if one.body[0].lineno <= row <= (one.end_lineno or 0)]
        yield from ((frame.source, one) for one in sorted(held, key=lambda one: -one.lineno))
        if frame.call is None:
            return
        node = frame.call.node


def _lasts(length: ast.expr | None, loop: ast.For) -> bool:
    """Whether a loop over numbers runs as often as a schedule is long, or longer."""
    if length is None:
        return False
    counted = next(
        (
            one.args[-1] if len(one.args) < 3 else one.args[1]
            for one in ast.walk(loop.iter)
            if isinstance(one, ast.Call) and code_of(one.func) in ("range", "trange") and one.args
        ),
        None,
    )
    if counted is None:
        return False
    if isinstance(counted, ast.Constant) and isinstance(length, ast.Constant):
        times, long = counted.value, length.value
        return isinstance(times, int) and isinstance(long, int) and long <= times
    return not isinstance(counted, ast.Constant) and code_of(counted) == code_of(length)


def _is_once_an_epoch(loops: list[tuple[Source, ast.For]], counted: list[ast.expr]) -> bool:
    """Whether the innermost loop has another one in it, in which an optimizer steps, and does not
    itself go over the batches that were `counted`."""
    if not loops:
        return False
    source, innermost = loops[0]
    batches = {code_of(length.args[0]) for one in counted for length in _lengths(one)}
    named = (one for one in ast.walk(innermost.iter) if isinstance(one, ast.expr))
    if any(code_of(one) in batches for one in named):
        return False
    inside = (one for one in ast.walk(innermost) if isinstance(one, ast.For))
    return any(one is not innermost and effects_in(source, one).stepped for one in inside)


def _is_metric(value: Value) -> bool:
    """Whether a value is a loss or a share rather than the number of an epoch."""
    number = isinstance(value, Unknown) and value.hint == "number"
    return isinstance(value, (float, Tensor)) or number
