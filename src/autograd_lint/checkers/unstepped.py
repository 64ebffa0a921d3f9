"""Optimizers whose parameters get gradients again and again, and that nobody steps."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import Notes, note
from autograd_lint.checkers.training_record import Gradient, Stepping, TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.training_statements import is_scheduler
from autograd_lint.libraries.torch.events import GradientRead, GradientsCleared
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.places import Place
from autograd_lint.project.code import spelt
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.contents import parts
from autograd_lint.vm.events import FunctionLeft, GivenToUnknownCode
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Items, Mapping, Value

_STEP = "step"
_TUPLE = (ast.Tuple, ast.List)
ROUNDS = 2  # backwards that add to a gradient which nothing uses, or whose shares are cleared
EXPLAINING = {
    Pitfall.GRADIENTS_PILE_UP,
    Pitfall.NOT_CALLED,
    Pitfall.STEP_BEFORE_BACKWARD,
    Pitfall.ZERO_GRAD_BEFORE_STEP,
}


@dataclass(slots=True, eq=False, repr=False)
class Unstepped(Checker):
    """Looks at the optimizers when the run is over.

    `cleared` are the backwards whose shares of a gradient were cleared, by the identity of the
    leaf, `read` the leaves whose gradients the program has read, `given` what unknown code was
    given that may step, `followed` how functions of the program were called: what they do is seen.
    """

    cleared: dict[int, list[Place]] = field(default_factory=dict)
    read: set[int] = field(default_factory=set)
    given: list[Value] = field(default_factory=list)
    followed: set[str] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, GradientsCleared, cls.gradients_cleared)
        to.add(cls, GradientRead, cls.gradient_read)
        to.add(cls, GivenToUnknownCode, cls.given_to_unknown_code)
        to.add(cls, FunctionLeft, cls.function_left)

    def function_left(self, interp: Interpreter, event: FunctionLeft) -> None:
        """A function of the program was run: a meter that steps steps no optimizer."""
        node = event.call.node
        if event.finished and event.function.name.endswith(_STEP) and isinstance(node, ast.Call):
            self.followed.add(spelt(node.func))

    def given_to_unknown_code(self, interp: Interpreter, event: GivenToUnknownCode) -> None:
        """It may step with what it is given, unless it is a scheduler by its name."""
        call = event.call
        if not (isinstance(call.node, ast.Call) and is_scheduler(spelt(call.node.func))):
            self.given += (*call.args, *call.keywords.values())

    def gradient_read(self, interp: Interpreter, event: GradientRead) -> None:
        """`.grad` is read: backward may have run for that."""
        self.read.add(id(event.tensor))

    def gradients_cleared(self, interp: Interpreter, event: GradientsCleared) -> None:
        """The shares of backwards go that no step has used."""
        for gradient in interp.state(TrainingRecord).of(event.tensors or ()):
            self.cleared.setdefault(id(gradient.leaf), []).extend(_places(gradient))

    def end(self, interp: Interpreter) -> None:
        """Whose gradients pile up or are cleared, though an optimizer was made for them?"""
        if interp.opaque_backward or interp.record.gave_up:
            return
        if not self.followed.issuperset(interp.query(interp.source, _steps)):
            return
        if EXPLAINING & interp.state(Notes).kinds():
            return
        record = interp.state(TrainingRecord)
        if record.steps or self.read:
            return  # Who reads any gradient runs backward for that one.
        for stepping in record.optimizers.values():
            if not self._may_step(stepping.optimizer) and self._tell(interp, stepping):
                return

    def _tell(self, interp: Interpreter, stepping: Stepping) -> bool:
        """Tell of a gradient that an optimizer leaves unused, if there is one."""
        made = stepping.made
        for gradient in interp.state(TrainingRecord).of(optimized(stepping.optimizer)):
            place = self._unused(gradient)
            if place is not None:
                name = gradient.leaf.name
                because = Assumption(Kind.MEANT_TO_LEARN, name or made.operator, weight=0)
                note(
                    interp,
                    Pitfall.NEVER_STEPPED,
                    place,
                    leaf=gradient.leaf,
                    operator=made.operator,
                    built=made,
                    assumptions=frozenset({because}),
                )
                return True
        return False

    def _may_step(self, optimizer: Instance) -> bool:
        """Whether unknown code was given an optimizer, or an object that has it."""
        return any(_has(value, optimizer) for value in self.given)

    def _unused(self, gradient: Gradient) -> Place | None:
        """The call of backward that has added to a gradient in several rounds of a loop, each time
        in vain: nothing has used what it added."""
        if gradient.used is not None or id(gradient.leaf) in self.read:
            return None
        places = [*self.cleared.get(id(gradient.leaf), ()), *_places(gradient)]
        return next((one for one in reversed(places) if places.count(one) >= ROUNDS), None)


def _places(gradient: Gradient) -> list[Place]:
    """The calls of backward whose shares a gradient holds."""
    places = (share.walk.call.place for share in gradient.fresh)
    return [place for place in places if place is not None]


def _has(value: Value, optimizer: Instance, depth: int = 3) -> bool:
    if value is optimizer or not depth or not isinstance(value, (Items, Mapping, Instance)):
        return value is optimizer
    return any(_has(part, optimizer, depth - 1) for part in parts(value))


@query
def _steps(source: Source) -> frozenset[str]:
    """What a file calls that may step an optimizer, as it is spelt: steps, but for those of
    schedulers and environments, where what a step gives is taken apart."""
    apart = {id(one.value) for one in source.each(ast.Assign) if isinstance(one.targets[0], _TUPLE)}
    called = (spelt(one.func) for one in source.each(ast.Call) if id(one) not in apart)
    return frozenset(one for one in called if one.endswith(_STEP) and not is_scheduler(one))
