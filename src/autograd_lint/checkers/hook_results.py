"""Losses without a graph that a method returns which a framework calls, and differentiates."""

from __future__ import annotations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import is_inside
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph_breaks import linked
from autograd_lint.engine.pitfalls import PLAIN_NUMBER, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.effects import trains_in
from autograd_lint.libraries.framework_hooks import HOOKS, is_hook
from autograd_lint.libraries.torch.tensors.non_tensors import left_torch
from autograd_lint.vm.events import ReturnReached
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function, Instance, Items, Mapping, Unknown, Value


class HookResults(Checker):
    """Looks at what the hooks of frameworks return."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ReturnReached, cls.returning)

    def returning(self, interp: Interpreter, event: ReturnReached) -> None:
        """A method returns what has no graph: what if a framework trains what it returns?"""
        function = interp.frame.function
        if function is None or function.name not in HOOKS or function.owner is None:
            return
        if not is_hook(function.owner, function.name) or _optimizes_itself(interp, function):
            return
        loss = _loss_of(event.value)
        switch = _switch_behind(interp, function, loss)
        because = frozenset({Assumption(Kind.RETURN_TRAINED, function.name, weight=0)})
        if isinstance(loss, Unknown) and left_torch(loss) == "float":
            _judge_number(interp, loss, because)
        if switch is None and isinstance(loss, Tensor):
            _judge_constant(interp, loss, because)
        if switch is not None:
            note(
                interp,
                Pitfall.UNRECORDED_LOSS,
                switch.place,
                operator=switch.operator,
                assumptions=because,
            )


def _judge_constant(interp: Interpreter, loss: Tensor, because: frozenset[Assumption]) -> None:
    """A loss that was created from plain numbers has no graph, whoever calls backward on it."""
    if loss.anew is None or loss.requires_grad is not None or loss.storage.writes:
        return
    moment, made = loss.anew
    kind, called = FaultKind.NO_GRAD_ROOT, Needed(None, "backward")
    because |= interp.engine.empty_since(moment)
    interp.engine.note(Fault(kind, None, loss.name, built=made, needed=called, assumptions=because))


def _judge_number(interp: Interpreter, loss: Unknown, because: frozenset[Assumption]) -> None:
    """A number that was taken out of a tensor has no graph, nor a `backward` to call."""
    taken = next((one.event for one in loss.graph_breaks if one.event.place is not None), None)
    if taken is None:
        return
    interp.engine.note(
        Fault(
            FaultKind.NO_GRAD_ROOT,
            taken.place,
            tensor=loss.origin,
            detail=PLAIN_NUMBER,
            built=taken,
            needed=Needed(None, "backward"),
            assumptions=because,
        )
    )


def _optimizes_itself(interp: Interpreter, function: Function) -> bool:
    """Whether a hook runs backward itself, or its object has told the framework that it does."""
    receiver = interp.frame.receiver
    own = receiver.attributes if isinstance(receiver, Instance) else {}
    manual = own.get("automatic_optimization") is False
    return manual or trains_in(function.source, function.node)


def _loss_of(value: Value) -> Value:
    """What is differentiated of what a hook returns: the first of several, or what is called loss.

    Sources: `automatic.py` in lightning/pytorch/loops/optimization, `Trainer.training_step` of
    transformers.
    """
    if isinstance(value, Mapping):
        return value.entries.get("loss")
    return value.items[0] if isinstance(value, Items) and value.items else value


def _switch_behind(interp: Interpreter, function: Function, loss: Value) -> Created | None:
    """What had grad mode off in a hook when its loss was computed, or has it off now."""
    if interp.frame.switched is not None:
        return None if loss is None else interp.frame.switched
    mode = function.mode
    if mode is not None and not mode.grad:
        return None if loss is None else mode.made
    if not isinstance(loss, (Tensor, Unknown)) or not interp.engine.recording:
        return None
    if isinstance(loss, Tensor) and linked(loss):
        return None
    switches = [one.switch for one in loss.graph_breaks if one.switch is not None]
    if isinstance(loss, Tensor):
        return next(iter(switches), None)
    return next((one for one in switches if is_inside(one.place, function)), None)
