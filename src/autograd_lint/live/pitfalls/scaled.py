"""Gradients of a loss that a `GradScaler` has scaled, clipped or used before they are unscaled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.told import Told, parameters_of, tensors_of
from autograd_lint.live.sites import Site


class Scaled:
    """Knows which leaves hold scaled gradients, by identity; keeps nothing alive."""

    __slots__ = ("_leaves", "_losses", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._losses: dict[int, ref[torch.Tensor]] = {}
        self._leaves: set[int] = set()

    @property
    def is_used(self) -> bool:
        """Whether a scaler has scaled anything."""
        return bool(self._losses)

    def scaled(self, scaler: Any, loss: Any) -> None:
        """A scaler has made this of a loss."""
        if isinstance(loss, torch.Tensor) and scaler.is_enabled() and scaler.get_scale() != 1:
            self._losses[id(loss)] = ref(loss)

    def unscaling(self, optimizer: Optimizer) -> None:
        """A scaler divides the gradients of an optimizer."""
        self.cleared(parameters_of(optimizer))

    def differentiated(self, outputs: Any, filled: Iterable[torch.Tensor]) -> None:
        """Backward from these outputs has added to gradients."""
        if not self._losses:
            return
        for root in tensors_of(outputs):
            known = self._losses.get(id(root))
            if known is not None and known() is root:
                self._leaves.update(map(id, filled))

    def cleared(self, parameters: Iterable[torch.Tensor]) -> None:
        """These gradients are unscaled, or gone."""
        if self._leaves:
            self._leaves.difference_update(map(id, parameters))

    def used(self, parameters: Iterable[torch.Tensor], site: Site | None) -> None:
        """These gradients are clipped, or a step uses them as they are."""
        if self._leaves and not self._leaves.isdisjoint(map(id, parameters)):
            self._told.tell(Pitfall.SCALED_GRADIENTS, site)
