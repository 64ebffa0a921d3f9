"""What the iterations would have done that a loop was cut short before."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autograd_lint.engine.freezing import flag
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.tensor import Tensor
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.values import Items, Value

_CHOOSING = (ast.If, ast.IfExp, ast.Compare, ast.BoolOp)


def with_gradients(sequence: Value) -> tuple[Tensor, ...]:
    """The tensors among the elements of a loop that have a gradient before it begins."""
    return tuple(one for one in tensors_in(sequence) if one.grad is not None)


def repeat_for_others(
    engine: Engine, loop: ast.stmt, sequence: Value, count: int, filled: Sequence[Tensor]
) -> None:
    """A loop was cut short after `count` elements: do to the others what it has done to them.

    Which of the others are frozen is not known where conditions choose them. `filled` are the
    tensors that had a gradient before.
    """
    if _drops_gradients(loop) or any(one.grad is None for one in filled):
        _clear_gradients(sequence)
    if not _chooses(loop):
        _freeze(engine, sequence, count)


@query
def _chooses(loop: ast.AST) -> bool:
    return any(isinstance(part, _CHOOSING) for part in walk(loop))


@query
def _drops_gradients(loop: ast.AST) -> bool:
    """Whether the text of a loop drops gradients; those it went through may have had none."""
    return any(map(_drops, walk(loop)))


def _drops(part: ast.AST) -> bool:
    if isinstance(part, ast.Assign):
        is_none = isinstance(part.value, ast.Constant) and part.value.value is None
        return is_none and any(_name(one) == "grad" for one in part.targets)
    return isinstance(part, ast.Call) and _name(part.func) == "zero_grad"


def _name(part: ast.AST) -> str:
    return part.attr if isinstance(part, ast.Attribute) else ""


def _clear_gradients(sequence: Value) -> None:
    """A loop over parameters that drops gradients drops them all."""
    for tensor in tensors_in(sequence):
        tensor.grad = None


def _freeze(engine: Engine, sequence: Value, count: int) -> None:
    """A loop over parameters that has frozen all of `count` of them freezes them all, there."""
    if not isinstance(sequence, Items) or not count:
        return
    done = [list(tensors_in(item)) for item in sequence.items[:count]]
    if done and all(
        found and all(t.parameter and t.requires is None for t in found) for found in done
    ):
        frozen = engine.backward.frozen.get(id(done[-1][-1]))
        for tensor in tensors_in(Items("list", sequence.items[count:])):
            if frozen is not None:
                flag(engine, tensor, False, frozen.place, frozen.during)
            tensor.requires = None
