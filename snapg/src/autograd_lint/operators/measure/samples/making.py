"""Small tensors to make samples of."""

from collections.abc import Callable
from typing import Any

import torch

# Positional arguments of calls; a dictionary at the end holds keyword arguments.
Given = list[tuple[Any, ...]]
Samples = dict[str, Callable[[], Given]]


def x(*shape: int) -> torch.Tensor:
    """Positive, and away from the edges of domains."""
    return torch.rand(shape or (3, 4)) * 0.8 + 0.1


def ids(*shape: int) -> torch.Tensor:
    """Class indices from 0 to 2."""
    return torch.randint(0, 3, shape)


def mask(*shape: int) -> torch.Tensor:
    """Booleans."""
    return torch.rand(shape or (3, 4)) > 0.5


def together(names: str, make: Callable[[], Given], prefix: str = "") -> Samples:
    """The same samples for several operators, named between spaces."""
    return {prefix + name: make for name in names.split()}


def unary() -> Given:
    """One tensor."""
    return [(x(),)]
