"""Writes that leave the values as they are, where others would not stay: zeros that are scaled.

Such a write changes no digest, but what autograd passes by is its derivative, which is not one.
"""

from __future__ import annotations

from typing import Any

import torch

from autograd_lint.live.private import storage_id, unobserved

_MOST_ELEMENTS = 4096
_STEP = 2.0**-6


class Unmoved:
    """Is told of writes before and after them; remembers those that only these values withstand."""

    def __init__(self) -> None:
        self._begun: torch.Tensor | None = None
        self._known: set[tuple[int, int]] = set()  # the storage and the row of each

    def writing(self, operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An operator is about to write to its first argument."""
        tensor = args[0] if args else None
        moves = isinstance(tensor, torch.Tensor) and _would_move(operator, tensor, args, kwargs)
        self._begun = tensor if moves else None

    def wrote(self, tensor: torch.Tensor, row: int) -> None:
        """It has, for the program's code at a row."""
        storage = storage_id(tensor)
        if self._begun is tensor and storage is not None:
            self._known.add((storage, row))
        self._begun = None

    def knows(self, storage: int | None, row: int) -> bool:
        """Whether the write of a row to a storage was one of these."""
        return (storage, row) in self._known


def _would_move(
    operator: Any, tensor: torch.Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> bool:
    """Whether a write leaves a tensor as it is, but not what lies near it."""
    others = (one for one in (*args[1:], *kwargs.values()) if isinstance(one, torch.Tensor))
    itself = any(storage_id(one) == storage_id(tensor) for one in others)
    drawn = torch.Tag.nondeterministic_seeded in operator.tags
    fits = tensor.is_floating_point() and 0 < tensor.numel() <= _MOST_ELEMENTS
    if itself or drawn or not fits:
        return False
    with torch.no_grad(), unobserved():
        here, near = tensor.detach().clone(), tensor.detach() + _STEP
        there = near.clone()
        operator(here, *args[1:], **kwargs)
        operator(there, *args[1:], **kwargs)
        stays = torch.equal(here, tensor.detach())
        return stays and not torch.allclose(there - here, near - tensor.detach())
