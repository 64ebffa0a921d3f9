"""Gradients that a step uses and should not: mixed with old ones, or scaled."""

from __future__ import annotations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.counted_terms import counted_again
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import Gradient, TrainingRecord
from autograd_lint.checkers.undivided_windows import undivided_window
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.backward_call import Call
from autograd_lint.engine.events import Modified, Needed
from autograd_lint.engine.pitfalls import BEFORE_GIVEN, BY_CALLEE, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.callers import covers
from autograd_lint.libraries.torch.events import LeafUpdated, StepBegun
from autograd_lint.libraries.torch.training.optimizers import ADAPTIVE
from autograd_lint.vm.instances import outside_name
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance

DIVIDING = {"div", "mul", "div_", "mul_", "truediv"}


class UsedGradients(Checker):
    """Looks at the gradients that a step is about to use."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, StepBegun, cls.step_begun)
        to.add(cls, LeafUpdated, cls.updated)

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer is about to use the gradients of its parameters."""
        fresh = [one for one in interp.state(TrainingRecord).of(event.tensors) if one.fresh]
        for gradient in fresh:
            _judge_mixed(interp, gradient, event.name)
            _judge_scaled(interp, gradient, event)
            _judge_late(interp, gradient, event)
        if fresh:
            _judge_unscaled(interp, fresh[0], event.optimizer)

    def updated(self, interp: Interpreter, event: LeafUpdated) -> None:
        """The program itself has written a leaf with its gradient."""
        for gradient in interp.state(TrainingRecord).of([event.leaf]):
            if gradient.fresh:
                _judge_mixed(interp, gradient, event.operator)


def _judge_scaled(interp: Interpreter, gradient: Gradient, event: StepBegun) -> None:
    """A gradient still has the scale of its loss."""
    if gradient.scaled is not None:
        note(
            interp,
            Pitfall.SCALED_GRADIENTS,
            event.place,
            tensor=gradient.leaf.name,
            operator=f"{event.name}.step",
            needed=Needed(gradient.scaled, "backward"),
            assumptions=gradient.leaf.requires or frozenset(),
        )


def _judge_late(interp: Interpreter, gradient: Gradient, event: StepBegun) -> None:
    """An optimizer was given a parameter whose gradients had piled up over earlier steps."""
    leaf, own = gradient.leaf, {id(tensor) for tensor in event.tensors}
    first, last = gradient.fresh[0], gradient.fresh[-1]
    between = interp.state(TrainingRecord).step_log[first.steps : last.steps]
    if any(other & own and id(leaf) not in other for other in between):
        note(
            interp,
            Pitfall.GRADIENTS_PILE_UP,
            first.walk.call.place,
            leaf=leaf,
            operator=event.name,
            detail=BEFORE_GIVEN,
            modified=Modified(event.place, event.name, leaf.name, 0, by_optimizer=True),
            needed=Needed(last.walk.call.place, "backward"),
            assumptions=leaf.requires or frozenset(),
        )


def _judge_mixed(interp: Interpreter, gradient: Gradient, name: str) -> None:
    """Backward has added to what an earlier step has used."""
    leaf = gradient.leaf
    if (
        gradient.mixed is not None
        and gradient.used is not None
        and _is_mixed_again(interp, gradient)
    ):
        note(
            interp,
            Pitfall.MISSING_ZERO_GRAD,
            gradient.mixed.walk.call.place,
            leaf=leaf,
            operator=name,
            detail=BY_CALLEE if _is_of_callee(interp, gradient.mixed.walk.call) else "",
            modified=Modified(gradient.used, name, leaf.name, 0, by_optimizer=True),
            assumptions=(leaf.requires or frozenset()) | _led_by(gradient.mixed.walk, leaf),
        )


def _is_of_callee(interp: Interpreter, call: Call) -> bool:
    """Whether a backward stood in a function that the one which runs has called."""
    frame, place = interp.frame, call.place
    if place is None or frame.function is None or frame.mark not in call.within:
        return False
    return place.filename != frame.source.filename or not covers(frame.function.node, place.row)


def _led_by(walk: Pass, leaf: Tensor) -> frozenset[Assumption]:
    """What must hold for a backward to get to a leaf, where only unknown code leads there."""
    users = [node for node in walk.order if any(edge.leaf is leaf for edge in node.edges)]
    return users[0].requires if users and all(node.opaque for node in users) else frozenset()


def _judge_unscaled(interp: Interpreter, gradient: Gradient, optimizer: Instance) -> None:
    """A step uses the sum over several batches, none of which was divided by their number.

    Adam and others divide by the size that gradients have had: a factor makes no difference to
    them, unless gradients are clipped to a norm.
    """
    places = {share.walk.call.place for share in gradient.fresh}
    operators = {node.operator for share in gradient.fresh for node in share.walk.starts}
    if counted_again(gradient.fresh) is not None:
        return
    if len(gradient.fresh) > 1 and len(places) == 1 and not operators & DIVIDING:
        share = gradient.fresh[0]
        needed = Needed(share.walk.call.place, "backward")
        source = interp.world.source
        divides = outside_name(optimizer) in ADAPTIVE and "clip_grad" not in source.text
        summed = "sum" in operators or divides or undivided_window(source) is None
        note(
            interp,
            Pitfall.ACCUMULATION_UNSCALED,
            share.walk.call.place,
            needed=needed,
            assumptions=frozenset({Assumption(Kind.MEANT_AS_MEAN, weight=2 if summed else 0)}),
        )


def _is_mixed_again(interp: Interpreter, gradient: Gradient) -> bool:
    """Whether a gradient is mixed a second time: two rounds may be meant, three are a loop."""
    record = interp.state(TrainingRecord)
    known = gradient in record.mixed
    record.mixed.add(gradient)
    return known
