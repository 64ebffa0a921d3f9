"""Which gradients have memory of their own for each element.

What a backward passes on as it came (that of an addition, of a view) may be the gradient of a sum,
one number that is expanded. What it computes is a new tensor.
"""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor

# The gradients of all inputs are computed. Source: derivatives.yaml, and each was asked on torch.
_COMPUTING = frozenset(
    [
        *("abs", "square", "pow", "sqrt", "rsqrt", "reciprocal", "neg", "mul", "div", "mean"),
        *("exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "sinh", "cosh"),
        *("tanh", "sigmoid", "relu", "atan", "erf", "softmax", "log_softmax", "logsumexp"),
        *("max", "min", "amax", "amin", "clamp", "sort", "topk", "cumsum", "cumprod", "prod"),
        *("gelu", "silu", "softplus", "leaky_relu", "leakyrelu", "conv1d", "conv2d", "conv3d"),
        *("matmul", "mm", "bmm", "dot", "norm", "std", "var", "unbind", "split", "chunk"),
    ]
)


def lay_out(
    gradient: Tensor, target: Node | None, roots: Sequence[Node], order: Sequence[Node]
) -> None:
    """Say how a gradient lies in memory: `target` is the node that it came to, `roots` those with
    one element, `order` what ran.

    That of a whole sum is expanded. Source: `sum_backward` in
    torch/csrc/autograd/FunctionsManual.cpp.
    """
    givers = [node for node in order for edge in node.edges if edge is target]
    if len(givers) == 1 and givers[0].operator == "sum" and givers[0] in roots:
        gradient.strides = (0,) * len(gradient.shape) if gradient.shape is not None else None
    gradient.may_overlap = gradient.strides is None and not (
        givers and all(_computes(node, gradient) for node in givers)
    )


def _computes(node: Node, gradient: Tensor) -> bool:
    name = node.operator.rstrip("_").lower()  # a layer is called as its function is
    if name == "linear":  # a bias gets what is summed up over the batch, if there is one
        return gradient.shape is not None and len(gradient.shape) > 1
    return name in _COMPUTING
