"""`GradScaler`: it scales losses and steps optimizers on their behalf."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.events import GradientsUnscaled, LossScaled, ScaleUpdated
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.training.optimizers import is_optimizer, open_ended, optimized
from autograd_lint.places import Place
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.events import GivenToUnknownCode, LoopContinued
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.truth import is_true
from autograd_lint.vm.values import (
    Bound,
    External,
    Instance,
    Items,
    Native,
    Unknown,
    Value,
)

PATH = "torch.amp.GradScaler"
SCALE = "_scale"  # of a scaler; None before the first loss is scaled
_ON_GPU = frozenset({Assumption(Kind.RUNS_ON_GPU, weight=0)})  # else the scaler is switched off


@dataclass(slots=True, eq=False, repr=False)
class ScalerCalls(Listener):
    """What scalers have done for optimizers since the last `update()`, and where.

    `left_at` is where an iteration was left early since then, `lent` that code which is not known
    was given a scaler, or what holds one, and may have scaled a loss.
    """

    made: dict[tuple[str, int], Place] = field(default_factory=dict)
    left_at: Place | None = None
    lent: bool = False

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, LoopContinued, cls.continued)
        to.add(cls, GivenToUnknownCode, cls.given)

    def given(self, interp: Interpreter, event: GivenToUnknownCode) -> None:
        """Code that is not known gets something: a scaler?"""
        given = (*event.call.args, *event.call.keywords.values())
        self.lent = self.lent or any(map(_holds_scaler, given))

    def continued(self, interp: Interpreter, event: LoopContinued) -> None:
        """An iteration is left early."""
        if self.made:
            self.left_at = interp.place(event.node)


def _holds_scaler(value: Value, depth: int = 2) -> bool:
    if isinstance(value, Instance):
        inner = list(value.attributes.values())
        if SCALE in value.attributes:
            return True
    else:
        inner = value.items if isinstance(value, Items) else []
    return depth > 0 and any(_holds_scaler(one, depth - 1) for one in inner)


def call_scaler(interp: Interpreter, call: Call) -> Instance:
    """`GradScaler(...)`; whether it is switched on is decided where that is an option."""
    given = {one.arg: one.value for one in getattr(call.node, "keywords", ())}
    node = given.get("enabled", call.node)
    return make_scaler(call, enabled=is_true(interp, call.keywords.get("enabled", True), node))


def make_scaler(call: Call, *, enabled: bool = True) -> Instance:
    """A gradient scaler with the methods that matter."""
    because = CERTAINLY if call.get(0, "device") == "cpu" else _ON_GPU

    scaler = Instance(External(PATH), {SCALE: None}, made_at=call.node)

    def scale(interp: Interpreter, call: Call) -> Value:
        return _scale(interp, call, scaler, enabled=enabled)

    def update(interp: Interpreter, call: Call) -> Value:
        return _update(interp, call, scaler)

    def step(interp: Interpreter, call: Call) -> Value:
        return _step(interp, call, scaler, because if enabled else None)

    def is_enabled(interp: Interpreter, call: Call) -> Value:
        return enabled

    scaler.attributes |= {
        "is_enabled": Native("is_enabled", is_enabled),
        "scale": Native("scale", scale),
        "step": Native("step", step),
        "unscale_": Native("unscale_", _unscale),
        "update": Native("update", update),
    }
    return scaler


def _scale(interp: Interpreter, call: Call, scaler: Instance, *, enabled: bool) -> Value:
    """`scaler.scale(loss)`; one that is switched off scales nothing."""
    tensor = as_tensor(interp, call.get(0, "outputs"))
    scaler.attributes[SCALE] = Unknown("the scale", hint="number")
    if tensor is None:
        return Unknown(interp.text(call.node))
    factor = scaler.attributes[SCALE]
    result = apply_operator(interp, "torch.Tensor.mul", [tensor, factor], {}, call.node)
    if isinstance(result, Tensor):
        result.shape = tensor.shape
        if result.node is not None:
            interp.emit(LossScaled(result.node, enabled, scaler))
    return result


def _unscale(interp: Interpreter, call: Call) -> Value:
    optimizer = call.get(0, "optimizer")
    if isinstance(optimizer, Instance) and is_optimizer(optimizer):
        _once(interp, "unscale_", optimizer, call)
        _divided(interp, optimizer)
    else:  # unknown, or an object that has one
        interp.emit(GradientsUnscaled(None))
    return None


def _divided(interp: Interpreter, optimizer: Instance) -> None:
    """The gradients of an optimizer are divided by the scale; it may hold more than is known."""
    if open_ended(optimizer):
        interp.emit(GradientsUnscaled(None))
    else:
        interp.emit(GradientsUnscaled(optimized(optimizer)))


def _step(
    interp: Interpreter, call: Call, scaler: Instance, enabled: frozenset[Assumption] | None
) -> Value:
    """`scaler.step(optimizer)`; None for `enabled` says that the scaler is switched off."""
    optimizer = call.get(0, "optimizer")
    if is_optimizer(optimizer):
        if enabled is not None and not _refuse_unscaled(interp, scaler, call, enabled):
            _refuse_nothing(interp, optimizer, call, enabled)
        _once(interp, "step", optimizer, call)
        _divided(interp, optimizer)
        rest = Call(call.args[1:], call.keywords, call.node)
        return call_value(interp, Bound(optimizer, "step"), rest)
    interp.emit(GradientsUnscaled(None))
    return None


def _refuse_unscaled(
    interp: Interpreter, scaler: Instance, call: Call, enabled: frozenset[Assumption]
) -> bool:
    """Report a step of a scaler that has scaled no loss of the program so far.

    Source: `GradScaler._check_scale_growth_tracker` in torch/amp/grad_scaler.py.
    """
    lent = interp.opaque_backward or interp.state(ScalerCalls).lent
    if scaler.attributes[SCALE] is not None or lent or not interp.whole:
        return False
    detail = "Attempted step but _scale is None: no loss was given to scale() before"
    refuse(interp, call.node, "GradScaler.step", detail, assumptions=enabled)
    return True


def _refuse_nothing(
    interp: Interpreter, optimizer: Instance, call: Call, enabled: frozenset[Assumption]
) -> None:
    """Report a step for which no parameter has a gradient, where all that has happened is known.

    Source: `GradScaler.step` in torch/amp/grad_scaler.py.
    """
    tensors = optimized(optimizer)
    passes = interp.engine.backward.passes
    unknown = interp.opaque_backward or any(n.opaque for walk in passes for n in walk.order)
    if unknown or not tensors or open_ended(optimizer):
        return
    if all(tensor.grad is None and tensor.is_leaf for tensor in tensors):
        detail = (
            "No inf checks were recorded for this optimizer: none of its tensors has a gradient"
        )
        refuse(interp, call.node, "GradScaler.step", detail, assumptions=enabled)


def _once(interp: Interpreter, name: str, optimizer: Instance, call: Call) -> None:
    """Report what a scaler does for an optimizer only once before its `update()`.

    Source: `OptState` in torch/amp/grad_scaler.py. Where a round was left early in between, that is
    where the update is missing.
    """
    place = interp.place(call.node)
    calls = interp.state(ScalerCalls)
    earlier = calls.made.get((name, id(optimizer)))
    calls.made[name, id(optimizer)] = place
    if earlier is None:
        if name == "unscale_" and ("step", id(optimizer)) in calls.made:
            detail = "unscale_() is being called after step(), before the next update()"
            refuse(interp, call.node, "GradScaler.unscale_", detail)
        return
    left = calls.left_at
    detail = f"{name}() has already been called on this optimizer since the last update()"
    built = Created(left, name) if left is not None else None
    refuse(interp, call.node, f"GradScaler.{name}", detail, built=built)


def _update(interp: Interpreter, call: Call, scaler: Instance) -> Value:
    interp.emit(ScaleUpdated(scaler, interp.place(call.node)))
    calls = interp.state(ScalerCalls)
    calls.made.clear()
    calls.left_at = None
    return None
