"""Steps that a program takes by itself: a leaf is written with what came of its own gradient."""

from __future__ import annotations

from autograd_lint.checkers import steps
from autograd_lint.checkers.writes import in_forward, in_step
from autograd_lint.engine.operate import Operation
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Value


def gradient_read(interp: Interpreter, leaf: Tensor) -> None:
    """The gradient of a leaf is read."""
    if leaf.grad is not None and leaf.is_leaf:
        storage = leaf.grad.storage
        interp.watch.slopes[storage.memory] = (storage, leaf)


def ran(interp: Interpreter, operation: Operation, results: list[Tensor]) -> None:
    """An operator has run: what it computes from the gradient of one leaf goes on from there."""
    slopes = interp.watch.slopes
    found = [slopes.get(tensor.storage.memory) for tensor in operation.tensors()]
    leaves = {id(slope[1]): slope[1] for slope in found if slope is not None}
    if len(leaves) != 1 or operation.place is None:
        return
    (leaf,) = leaves.values()
    for target in operation.at_all(operation.form.modifies) or results:
        if target.storage.memory == leaf.storage.memory:
            _updated(interp, leaf, operation.place, operation.operator)
        else:
            slopes.setdefault(target.storage.memory, (target.storage, leaf))


def data_set(interp: Interpreter, leaf: Tensor, value: Tensor, place: Place) -> None:
    """`leaf.data = value`."""
    slope = interp.watch.slopes.get(value.storage.memory)
    if slope is not None and slope[1] is leaf:
        _updated(interp, leaf, place, ".data")


def replaced(interp: Interpreter, before: Value, now: Value) -> None:
    """A parameter takes the place of another one while its module runs: no gradient moves them."""
    both = isinstance(before, Tensor) and isinstance(now, Tensor)
    if both and before is not now and before.parameter and in_forward(interp):
        interp.watch.unmoved.update((before, now))


def stepped(interp: Interpreter, optimizer: Value, place: Place) -> None:
    """The `step` of a class of the program has run: it counts where that is an optimizer."""
    stepping = interp.watch.optimizers.get(id(optimizer))
    if stepping is not None and stepping.steps == 0:
        stepping.steps = 1
        stepping.scheduled = stepping.scheduled and place


def _updated(interp: Interpreter, leaf: Tensor, place: Place, operator: str) -> None:
    if not in_step(interp):
        steps.updated(interp, leaf, place, operator)
