"""What the iterations would have done that a loop was cut short before."""

from __future__ import annotations

import ast

from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.values import Items, Value

_CHOOSING = (ast.If, ast.IfExp, ast.Compare, ast.BoolOp)


def repeat_for_others(loop: ast.stmt, sequence: Value, count: int) -> None:
    """A loop was cut short after `count` elements: do to the others what it has done to them.

    Which of the others are frozen is not known where conditions choose them.
    """
    _clear_gradients(sequence)
    if not _chooses(loop):
        _freeze(sequence, count)


@query
def _chooses(loop: ast.AST) -> bool:
    return any(isinstance(part, _CHOOSING) for part in walk(loop))


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
