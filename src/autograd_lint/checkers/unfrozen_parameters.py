"""Frozen parameters that are switched on after the optimizer was made without them.

optimizer = torch.optim.Adam(head.parameters())
for epoch in range(epochs):
    if epoch == 5:
        for p in backbone.parameters():
            p.requires_grad = True         # gets gradients now, which no optimizer uses
    train(...)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import has_trained_alone, is_seen_from_the_start
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.checkers.unoptimized import more_optimized, stepping_with
from autograd_lint.engine.pitfalls import UNFROZEN, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import RequiresGradAsked
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class UnfrozenParameters(Checker):
    """The parameters that the program has frozen, by identity, and those of them that it has
    switched on again when there was an optimizer, each with the place."""

    frozen: set[int] = field(default_factory=set)
    switched_on: dict[int, tuple[Tensor, Place]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, RequiresGradAsked, cls.flag_asked)

    def flag_asked(self, interp: Interpreter, event: RequiresGradAsked) -> None:
        """A parameter is frozen, or switched on."""
        key = id(event.tensor)
        if not event.tensor.parameter or not is_seen_from_the_start(interp):
            return
        if not event.value:
            self.frozen.add(key)
            self.switched_on.pop(key, None)
        elif key in self.frozen and interp.state(TrainingRecord).optimizers:
            self.switched_on[key] = event.tensor, event.place

    def end(self, interp: Interpreter) -> None:
        """The run is over: which of them got gradients that no optimizer has used?"""
        if not self.switched_on or more_optimized(interp) or not has_trained_alone(interp):
            return
        record = interp.state(TrainingRecord)
        held = {id(tensor) for tensor in record.optimized()}
        for key, (tensor, place) in self.switched_on.items():
            gradient = record.gradients.get(key)
            if key in held or gradient is None or not gradient.fresh or gradient.used is not None:
                continue
            stepping = stepping_with(interp, [gradient])
            if stepping is not None:
                note(
                    interp,
                    Pitfall.NO_OPTIMIZER,
                    place,
                    leaf=tensor,
                    detail=UNFROZEN,
                    built=stepping.made,
                )
