"""Whether one tensor is a multiple of another one."""

from __future__ import annotations

import torch

_ALONG = 0.99999  # of two directions that are the same
_MOST_ELEMENTS = 100_000


def is_looked_at(tensor: torch.Tensor) -> bool:
    """Whether a tensor has a direction, and to look at it takes no time to speak of."""
    is_there = tensor.device.type == "cpu" and tensor.layout == torch.strided
    return is_there and tensor.is_floating_point() and 1 < tensor.numel() <= _MOST_ELEMENTS


def is_along(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether a tensor is a multiple of another one of its shape."""
    if one.shape != other.shape or not is_looked_at(other):
        return False
    left, right = (each.detach().double().reshape(-1) for each in (one, other))
    product, lengths = float(left.dot(right)), float(left.norm() * right.norm())
    return lengths > 0 and abs(product) >= _ALONG * lengths
