"""Gradients that are clipped in vain: after the step, before backward, or with their scale."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import Gradient, TrainingRecord
from autograd_lint.engine.events import Modified, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import GradientsClipped
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

CLIP = "clip_grad_norm_"


@dataclass(slots=True, eq=False)
class Clipping(Checker):
    """Where nothing was there to clip, of which tensors, and where something was."""

    idle: dict[Place, list[Tensor]] = field(default_factory=dict)
    useful: set[Place] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, GradientsClipped, cls.clipped)

    def clipped(self, interp: Interpreter, event: GradientsClipped) -> None:
        """Gradients are clipped."""
        place = event.place
        gradients = interp.state(TrainingRecord).of(event.tensors)
        interp.engine.backward.reached.add(place)
        scaled = next((one for one in gradients if one.scaled is not None), None)
        if scaled is not None:
            self.useful.add(place)
            _note_scaled(interp, scaled, place)
            return
        used = [one.used for one in gradients if one.used]
        if any(gradient.fresh for gradient in gradients):
            self.useful.add(place)
        elif used and event.bounded:
            step = Modified(used[0], "step", None, 0, by_optimizer=True)
            note(interp, Pitfall.CLIP_IN_VAIN, place, operator=CLIP, modified=step)
        elif event.tensors:
            self.idle.setdefault(place, event.tensors)

    def end(self, interp: Interpreter) -> None:
        """The run is over: what was never clipped, although gradients came later?"""
        if interp.opaque_backward:
            return
        gradients = interp.state(TrainingRecord).gradients
        for place, tensors in self.idle.items():
            later = [one for t in tensors if (one := gradients.get(id(t))) is not None]
            if place not in self.useful and later:
                share = later[0].fresh[0] if later[0].fresh else None
                needed = Needed(share.walk.call.place, "backward") if share else None
                note(interp, Pitfall.CLIP_IN_VAIN, place, operator=CLIP, needed=needed)


def _note_scaled(interp: Interpreter, gradient: Gradient, place: Place) -> None:
    assert gradient.scaled is not None
    note(
        interp,
        Pitfall.SCALED_GRADIENTS,
        place,
        tensor=gradient.leaf.name,
        operator=CLIP,
        needed=Needed(gradient.scaled, "backward"),
        assumptions=gradient.leaf.requires or frozenset(),
    )
