"""Learning-rate schedulers that step before their optimizer: in a training loop never right."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import enclosing, source_of
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.events import Modified
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import SchedulerStepped, StepBegun
from autograd_lint.places import Place
from autograd_lint.vm.events import FunctionLeft
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class SchedulerOrder(Checker):
    """`first` are the steps of schedulers before any of their optimizer's, by the identity of that;
    then the first step of the optimizer itself. `places` is where such schedulers step.
    """

    first: dict[int, Place] = field(default_factory=dict)
    places: set[Place] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, SchedulerStepped, cls.scheduler_stepped)
        to.add(cls, StepBegun, cls.step_begun)
        to.add(cls, FunctionLeft, cls.function_left)

    def scheduler_stepped(self, interp: Interpreter, event: SchedulerStepped) -> None:
        """A scheduler steps."""
        stepping = interp.state(TrainingRecord).optimizers.get(id(event.optimizer))
        if stepping is None:
            return
        if stepping.steps == 0 and not _comes_in_some_rounds(interp, event.place):
            self.first[id(event.optimizer)] = event.place
            self.places.add(event.place)
        elif id(event.optimizer) in self.first and event.place in self.places:
            step = Modified(self.first.get(id(event.optimizer)), "step", None, 0, by_optimizer=True)
            note(interp, Pitfall.SCHEDULER_FIRST, event.place, modified=step)

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer steps."""
        self._stepped(interp, id(event.optimizer), event.place)

    def function_left(self, interp: Interpreter, event: FunctionLeft) -> None:
        """The `step` of an optimizer that the program defines has run."""
        key = id(event.receiver)
        if event.function.name == "step" and key in self.first:
            self._stepped(interp, key, interp.place(event.call.node))

    def _stepped(self, interp: Interpreter, key: int, place: Place) -> None:
        stepping = interp.state(TrainingRecord).optimizers.get(key)
        if key in self.first and stepping is not None and stepping.steps == 0:
            self.first[key] = place


def _comes_in_some_rounds(interp: Interpreter, place: Place) -> bool:
    """Whether a place stands in a branch that is taken every so many rounds of a loop, nobody knows
    whether in the first one: `if iteration % 500 == 0`."""
    source = source_of(interp, place)
    around = enclosing(source, place.row) if source is not None else []
    counting = {one.lineno for one in around if isinstance(one, ast.If) and _counts(one.test)}
    decided = (one.branch for one in interp.choices.path.decisions if one.branch is not None)
    return any(one.filename == place.filename and one.row in counting for one in decided)


def _counts(test: ast.expr) -> bool:
    """Whether a condition asks for a remainder."""
    return any(isinstance(part, ast.Mod) for part in ast.walk(test))
