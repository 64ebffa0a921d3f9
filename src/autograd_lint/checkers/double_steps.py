"""Parameters that two optimizers step with one gradient.

encoder_optimizer = torch.optim.Adam(model.parameters())
decoder_optimizer = torch.optim.Adam(model.decoder.parameters())
loss.backward()
encoder_optimizer.step()
decoder_optimizer.step()            # moves the decoder once more, by the same gradient

Source: https://docs.pytorch.org/docs/stable/optim.html (taking an optimization step)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import StepBegun
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance

ROUNDS = 2  # of a training; once may be the end of one phase and the beginning of another


@dataclass(slots=True, eq=False, repr=False)
class DoubleSteps(Checker):
    """The optimizer that has stepped each parameter last, by identity, and how often each pair of
    optimizers has used one gradient twice; `sums` are the parameters with the gradients of several
    losses: each of the optimizers may be there for one of these."""

    last: dict[int, Instance] = field(default_factory=dict)
    sums: set[int] = field(default_factory=set)
    rounds: dict[tuple[int, int], int] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, StepBegun, cls.step_begun)

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer is about to use gradients: has another one used the same before?"""
        record = interp.state(TrainingRecord)
        if not isinstance(event.optimizer.cls, External):
            return
        pairs: set[tuple[int, Place | None]] = set()
        for gradient in record.of(event.tensors):
            before = self.last.get(id(gradient.leaf))
            if len({share.walk.call.place for share in gradient.fresh}) > 1:
                self.sums.add(id(gradient.leaf))
            used = gradient.used is not None and not gradient.fresh
            used = used and id(gradient.leaf) not in self.sums
            if before is not None and before is not event.optimizer and used:
                pairs.add((id(before), gradient.used))
        for other, place in pairs:
            key = other, id(event.optimizer)
            self.rounds[key] = self.rounds.get(key, 0) + 1
            made = record.optimizers.get(id(event.optimizer))
            if self.rounds[key] >= ROUNDS and made is not None and place is not None:
                needed = Needed(place, "step")
                note(interp, Pitfall.STEPPED_TWICE, event.place, built=made.made, needed=needed)
        self.last.update((id(one), event.optimizer) for one in event.tensors)
