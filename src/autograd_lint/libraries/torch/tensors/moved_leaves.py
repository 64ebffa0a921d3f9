"""Conversions of tensors to another device or precision, which may give back the tensor itself."""

from __future__ import annotations

from autograd_lint.engine.tensor import Tensor

CONVERSIONS = {"to", "type", "double", "half", "bfloat16", "float", "cuda", "cpu"}
SHAPING = {"view", "reshape", "unsqueeze", "squeeze", "flatten", "t", "transpose", "permute"}


def converted_leaf(tensor: Tensor) -> Tensor | None:
    """The leaf that a tensor is, or that it was converted from."""
    node = tensor.node
    if node is None:
        return tensor
    return node.edges[0].leaf if node.operator in CONVERSIONS and node.edges else None


def leaf_behind(tensor: Tensor) -> Tensor | None:
    """The leaf that a tensor is, or whose values it holds after conversions, in some shape."""
    node = tensor.node
    while node is not None and node.operator in CONVERSIONS | SHAPING and len(node.edges) == 1:
        node = node.edges[0]
    return tensor if node is None else node.leaf


def may_be_converted_leaf(tensor: Tensor) -> bool:
    """Whether it is only assumed that a leaf was moved, and a copy is what it is called by now."""
    leaf = converted_leaf(tensor) if tensor.node is not None else None
    return leaf is not None and tensor.requires != leaf.requires
