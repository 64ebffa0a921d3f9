"""Steps that a program takes by itself: a leaf is written with what came of its own gradient."""

from __future__ import annotations

from autograd_lint.engine.operate import Operation
from autograd_lint.engine.tensor import Storage, Tensor
from autograd_lint.interpreter.machine import Interpreter
from autograd_lint.interpreter.watching import steps
from autograd_lint.interpreter.watching.writes import in_step
from autograd_lint.places import Place


def gradient_read(interp: Interpreter, leaf: Tensor) -> None:
    """The gradient of a leaf is read."""
    if leaf.grad is not None and leaf.is_leaf:
        storage = leaf.grad.storage
        interp.watch.slopes[_memory(storage)] = (storage, leaf)


def ran(interp: Interpreter, operation: Operation, results: list[Tensor]) -> None:
    """An operator has run: what it computes from the gradient of one leaf goes on from there."""
    slopes = interp.watch.slopes
    found = [slopes.get(_memory(tensor.storage)) for tensor in operation.tensors()]
    leaves = {id(slope[1]): slope[1] for slope in found if slope is not None}
    if len(leaves) != 1 or operation.place is None:
        return
    (leaf,) = leaves.values()
    for target in operation.at_all(operation.form.modifies) or results:
        if _memory(target.storage) == _memory(leaf.storage):
            _updated(interp, leaf, operation.place, operation.operator)
        else:
            slopes.setdefault(_memory(target.storage), (target.storage, leaf))


def data_set(interp: Interpreter, leaf: Tensor, value: Tensor, place: Place) -> None:
    """`leaf.data = value`."""
    slope = interp.watch.slopes.get(_memory(value.storage))
    if slope is not None and slope[1] is leaf:
        _updated(interp, leaf, place, ".data")


def _updated(interp: Interpreter, leaf: Tensor, place: Place, operator: str) -> None:
    if not in_step(interp):
        steps.updated(interp, leaf, place, operator)


def _memory(storage: Storage) -> int:
    """The same for all that stands for the same memory."""
    return id(storage.twins[0] if storage.twins else storage)
