"""What the iterations would have done that a loop was cut short before."""

from __future__ import annotations

from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.values import Items, Value


def repeat_for_others(sequence: Value, count: int) -> None:
    """A loop was cut short after `count` elements: do to the others what it has done to them."""
    _clear_gradients(sequence)
    _freeze(sequence, count)


def _clear_gradients(sequence: Value) -> None:
    """A loop over parameters that drops gradients drops them all."""
    tensors = list(tensors_in(sequence))
    if tensors and tensors[0].grad is None:
        for tensor in tensors:
            tensor.grad = None


def _freeze(sequence: Value, count: int) -> None:
    """A loop over parameters that has frozen all of `count` of them freezes them all."""
    if not isinstance(sequence, Items) or not count:
        return
    done = [list(tensors_in(item)) for item in sequence.items[:count]]
    if all(found and all(t.parameter and t.requires is None for t in found) for found in done):
        for tensor in tensors_in(Items("list", sequence.items[count:])):
            tensor.requires = None
