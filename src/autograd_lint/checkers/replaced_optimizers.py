"""Learning-rate schedulers whose optimizer was replaced: what they set is not used any more."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import OptimizerMade, SchedulerStepped, StepBegun
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance


@dataclass(slots=True, eq=False, repr=False)
class ReplacedOptimizers(Checker):
    """The optimizers of which another one has parameters that was made later, by identity, with
    that; they have not stepped since."""

    successors: dict[int, Instance] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OptimizerMade, cls.optimizer_made)
        to.add(cls, StepBegun, cls.step_begun)
        to.add(cls, SchedulerStepped, cls.scheduler_stepped)

    def optimizer_made(self, interp: Interpreter, event: OptimizerMade) -> None:
        """An optimizer was made: of parameters that another one has?

        One of a class of the program may well step by means of the other.
        """
        own = {id(tensor) for tensor in optimized(event.optimizer)}
        for stepping in interp.state(TrainingRecord).optimizers.values():
            earlier = stepping.optimizer
            plain = isinstance(earlier.cls, External) and earlier is not event.optimizer
            if plain and own & {id(tensor) for tensor in optimized(earlier)}:
                self.successors[id(earlier)] = event.optimizer

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer steps: it is still used."""
        self.successors.pop(id(event.optimizer), None)

    def scheduler_stepped(self, interp: Interpreter, event: SchedulerStepped) -> None:
        """A scheduler steps, while another optimizer than its own does?"""
        later = self.successors.get(id(event.optimizer))
        optimizers = interp.state(TrainingRecord).optimizers
        stepping = optimizers.get(id(later)) if later is not None else None
        if stepping is not None and stepping.steps:
            old = optimizers[id(event.optimizer)].made
            note(
                interp,
                Pitfall.SCHEDULER_LEFT_BEHIND,
                event.place,
                operator=old.operator,
                built=Created(stepping.made.place, stepping.made.operator),
            )
