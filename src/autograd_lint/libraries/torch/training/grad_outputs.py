"""The gradients that a call of backward is given for its roots, and what PyTorch asks of them.

Mirrors `_make_grads` of torch/autograd/__init__.py.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autograd_lint.engine.shapes import differ
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Unknown, Value


def judge_given(
    interp: Interpreter,
    roots: Sequence[Tensor],
    given: Value,
    node: ast.AST,
    *,
    name: str = "backward",
    batched: Value = False,
) -> None:
    """Report gradients that do not fit the roots they are given for."""
    if given is None or isinstance(batched, Unknown):
        return
    gradients = list(given.items) if isinstance(given, Items) else [given]
    if isinstance(given, Items) and not given.closed:
        return
    if len(gradients) < len(roots):  # more of them than roots are let pass: `zip` drops the rest
        detail = f"got {len(roots)} tensors and {len(gradients)} gradients"
        refuse(interp, node, name, detail)
        return
    for root, gradient in zip(roots, gradients, strict=False):
        detail = _why_not(root, gradient, bool(batched))
        if detail:
            because = root.requires_grad or CERTAINLY
            refuse(interp, node, name, detail, tensor=root.name, assumptions=because)


def _why_not(root: Tensor, gradient: Value, batched: bool) -> str:
    """Why a gradient cannot be one of this root; empty where it can."""
    if isinstance(gradient, (int, float, str)):
        kind = type(gradient).__name__
        return f"gradients can be either Tensors or None, but got {kind}"
    if not isinstance(gradient, Tensor):
        return ""
    if batched and gradient.shape == ():
        return "with `is_grads_batched` the first dimension of a gradient is that of the batch"
    shape = gradient.shape[1:] if batched and gradient.shape else gradient.shape
    if differ(root.shape, shape):
        return f"mismatch in shape: the gradient has {_size(shape)}, the output {_size(root.shape)}"
    kinds = {root.dtype, gradient.dtype}
    if None not in kinds and len(kinds) > 1 and "complex" in kinds:
        return "of the gradient and the output one is complex, the other is not"
    return ""


def _size(shape: Sequence[int | None] | None) -> str:
    return str(["?" if size is None else size for size in shape or ()]).replace("'", "")
