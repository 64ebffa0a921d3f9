"""Steps that wait for gradients which `autograd.grad` only hands out.

grads = torch.autograd.grad(loss, model.parameters())    # puts nothing into `.grad`
optimizer.step()

Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import has_trained_alone
from autograd_lint.checkers.idle_steps import EXPLAINING
from autograd_lint.checkers.noting import Notes, note
from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import HANDED_OUT, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import StepBegun
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class UnstoredGradients(Checker):
    """Where the gradients were handed out that each step of an optimizer could have used, by the
    place of the step; None where it found some, or there are none."""

    steps: dict[Place, list[Created | None]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, StepBegun, cls.step_begun)

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer is about to use the gradients of its parameters."""
        idle = bool(event.tensors) and all(one.grad is None for one in event.tensors)
        handed = _handed_out(interp, event.tensors) if idle else None
        self.steps.setdefault(event.place, []).append(handed)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which steps never found anything?"""
        told = (EXPLAINING | {Pitfall.NO_GRADIENTS}) & interp.state(Notes).kinds()
        if not has_trained_alone(interp) or interp.opaque_backward or interp.record.gave_up or told:
            return
        for place, handed in self.steps.items():
            if all(handed):
                note(interp, Pitfall.NO_GRADIENTS, place, detail=HANDED_OUT, built=handed[0])


def _handed_out(interp: Interpreter, tensors: Sequence[Tensor]) -> Created | None:
    """The last call of `autograd.grad` that was asked for the gradients of all of some tensors."""
    wanted = {id(one) for one in tensors}
    for walk in reversed(interp.engine.backward.passes):
        asked = {id(one) for one in walk.call.inputs or ()}
        if not walk.call.accumulate and wanted <= asked:
            return Created(walk.call.place, walk.call.name)
    return None
