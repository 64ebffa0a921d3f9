"""Gradients of a loss that a `GradScaler` has scaled, clipped or used before they are unscaled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.told import Told, parameters_of, tensors_of
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

# What bounds values by numbers that do not grow with the scale.
_BOUNDING = frozenset({"clamp", "clamp_", "clamp_max", "clamp_max_", "clamp_min", "clamp_min_"})


class Scaled:
    """Knows which leaves hold scaled gradients, by identity; keeps nothing alive.

    Operators are only looked at while some do, and the program has not asked for the scale.
    """

    __slots__ = ("_is_asked", "_leaves", "_losses", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._losses: dict[int, ref[torch.Tensor]] = {}
        self._leaves: dict[int, ref[torch.Tensor]] = {}
        self._is_asked = False

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
                self._leaves.update((id(one), ref(one)) for one in filled)
                if not self._is_asked:
                    self._told.record.told_use[Scaled] = self._bounds

    def cleared(self, parameters: Iterable[torch.Tensor]) -> None:
        """These gradients are unscaled, or gone."""
        if self._leaves:
            for one in parameters:
                self._leaves.pop(id(one), None)
            if not self._leaves:
                self._told.record.told_use.pop(Scaled, None)

    def asked(self) -> None:
        """The program asks for the scale: it may bound gradients by what it makes of that."""
        self._is_asked = True
        self._told.record.told_use.pop(Scaled, None)

    def used(self, parameters: Iterable[torch.Tensor], site: Site | None) -> None:
        """These gradients are clipped, or a step uses them as they are."""
        if self._leaves and any(id(one) in self._leaves for one in parameters):
            self._told.tell(Pitfall.SCALED_GRADIENTS, site)

    def _bounds(
        self, given: tuple[Any, ...], site: Site | None, operator: str, /, *, writes: bool
    ) -> None:
        """An operator takes these: does it bound a gradient that is scaled?"""
        bounded = tensors_in(given[:1]) if operator in _BOUNDING else []
        if not bounded or len(tensors_in(given)) > 1:
            return
        held = (leaf() for leaf in self._leaves.values())
        gradients = {
            storage_id(one.grad) for one in held if one is not None and one.grad is not None
        }
        if storage_id(bounded[0]) in gradients - {None}:
            self._told.tell(Pitfall.SCALED_GRADIENTS, site, operator=operator)
