"""Gradients that are clipped or changed in vain: after the step, before backward, with their scale,
or of what nothing moves."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import has_trained_alone
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import Gradient, TrainingRecord
from autograd_lint.engine.events import Modified, Needed
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.result_uses import is_dropped
from autograd_lint.libraries.torch.events import (
    GradientsCleared,
    GradientsClipped,
    LeafUpdated,
    OperatorRun,
    PassBegun,
)
from autograd_lint.libraries.torch.training.optimizers import open_ended, optimized
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

CLIP = "clip_grad_norm_"
CHANGING = {"mul_", "div_", "add_", "sub_", "clamp_", "clip_", "clamp_min_", "clamp_max_"}


@dataclass(slots=True, eq=False, repr=False)
class Clipping(Checker):
    """Where nothing was there to clip, of which tensors, and where something was.

    `others` are the tensors that were clipped at a place, `beside` the leaves whose gradients were
    there as well, `updated` the leaves that the program moves by itself, `late` the gradients that
    were changed after a step had used them: by what, and the step; all by identity. `emptied` are
    the tensors whose gradients were thrown away, `empty` the places that clipped such alone, before
    any backward through unknown code.
    """

    idle: dict[Place, list[Tensor]] = field(default_factory=dict)
    useful: set[Place] = field(default_factory=set)
    others: dict[Place, list[Tensor]] = field(default_factory=dict)
    beside: dict[Place, set[int]] = field(default_factory=dict)
    updated: set[int] = field(default_factory=set)
    late: dict[int, tuple[Operation, Place]] = field(default_factory=dict)
    emptied: set[int] = field(default_factory=set)
    empty: set[Place] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, GradientsClipped, cls.clipped)
        to.add(cls, OperatorRun, cls.changed, only=CHANGING.__contains__, waits=True)
        to.add(cls, GradientsCleared, cls.cleared)
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, LeafUpdated, cls.leaf_updated)

    def changed(self, interp: Interpreter, event: OperatorRun) -> None:
        """Something was written in place: the gradient that a step has used already?"""
        operation = event.operation
        written = operation.arguments.get("0")
        if not isinstance(written, Tensor):
            return
        if operation.arguments.get("1") == 0:
            return  # `grad.mul_(0)` clears it
        for key, gradient in interp.state(TrainingRecord).gradients.items():
            grad, used = gradient.leaf.grad, gradient.used
            if used is None or grad is None:
                continue
            if any(one is written.storage for one in (grad.storage, *grad.storage.twins)):
                self.late[key] = (operation, used)

    def cleared(self, interp: Interpreter, event: GradientsCleared) -> None:
        """Gradients are thrown away: nothing has used what was changed."""
        for tensor in event.tensors or ():
            self.emptied.add(id(tensor))
            operation, used = self.late.pop(id(tensor), (None, None))
            if operation is not None and used is not None:
                step = Modified(used, "step", None, 0, by_optimizer=True)
                name = operation.operator
                note(interp, Pitfall.CLIP_IN_VAIN, operation.place, operator=name, modified=step)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward adds to gradients: what they were changed to counts."""
        for leaf in event.walk.leaves() if self.late else ():
            self.late.pop(id(leaf), None)

    def leaf_updated(self, interp: Interpreter, event: LeafUpdated) -> None:
        """The program moves a leaf by itself."""
        self.updated.add(id(event.leaf))

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
        fresh = [one for one in gradients if one.fresh]
        if fresh and not (used and all(_may_be_used(interp, one) for one in fresh)):
            self.useful.add(place)
            self.others.setdefault(place, []).extend(event.tensors)
            known = interp.state(TrainingRecord).gradients
            waiting = {key for key, gradient in known.items() if gradient.fresh}
            self.beside.setdefault(place, set()).update(waiting)
        elif used:
            if _is_to_clip(interp, event):
                step = Modified(used[0], "step", None, 0, by_optimizer=True)
                note(interp, Pitfall.CLIP_IN_VAIN, place, operator=CLIP, modified=step)
        elif event.tensors:
            self.idle.setdefault(place, event.tensors)
            if not interp.opaque_backward and self.emptied.issuperset(map(id, event.tensors)):
                self.empty.add(place)

    def end(self, interp: Interpreter) -> None:
        """The run is over: what was never clipped, although gradients came later?"""
        opaque = interp.opaque_backward
        if has_trained_alone(interp) and not interp.record.gave_up and not opaque:
            self._judge_others(interp)
        gradients = interp.state(TrainingRecord).gradients
        for place, tensors in self.idle.items():
            if opaque and place not in self.empty:
                continue
            later = [one for t in tensors if (one := gradients.get(id(t))) is not None]
            if place in self.useful:
                continue
            if gradients and all(map(_has_no_gradient, tensors)):
                note(interp, Pitfall.CLIP_IN_VAIN, place, operator=CLIP)
            elif later:
                share = later[0].fresh[0] if later[0].fresh else None
                needed = Needed(share.walk.call.place, "backward") if share else None
                note(interp, Pitfall.CLIP_IN_VAIN, place, operator=CLIP, needed=needed)

    def _judge_others(self, interp: Interpreter) -> None:
        """Was anything clipped that neither an optimizer nor the program itself moves, and not what
        an optimizer moves by gradients that were there as well?"""
        record = interp.state(TrainingRecord)
        optimizers = [one.optimizer for one in record.optimizers.values() if one.steps]
        if not optimizers or record.given_away or any(map(open_ended, optimizers)):
            return
        moved = self.updated | {id(tensor) for one in optimizers for tensor in optimized(one)}
        for place, tensors in self.others.items():
            clipped = any(id(tensor) in moved for tensor in tensors)
            if not clipped and self.beside[place] & moved:
                note(interp, Pitfall.CLIP_IN_VAIN, place, operator=CLIP)


def _may_be_used(interp: Interpreter, gradient: Gradient) -> bool:
    """Whether an optimizer of which not all parameters are known has stepped since backward."""
    record = interp.state(TrainingRecord)
    optimizers = [one.optimizer for one in record.optimizers.values() if one.steps]
    stepped = all(share.steps < record.steps for share in gradient.fresh)
    return stepped and any(map(open_ended, optimizers))


def _is_to_clip(interp: Interpreter, event: GradientsClipped) -> bool:
    """Whether a call is made to bound gradients and not to measure them: it is given a finite
    bound, or nobody looks at the norm that it gives."""
    if event.bounded is not None:
        return event.bounded
    return is_dropped(interp.source, event.call)


def _has_no_gradient(tensor: Tensor) -> bool:
    """Whether a tensor can have no `.grad`: it is a gradient itself, or a copy of one."""
    computed = tensor.requires is not None or tensor.node is not None
    return not (computed or tensor.parameter) and tensor.grad is None


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
