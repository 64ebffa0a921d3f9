"""Gradients of a loss that a `GradScaler` has scaled, used before they are unscaled."""

from __future__ import annotations

from collections.abc import Iterable
from functools import wraps
from typing import Any
from weakref import ref

import torch
from torch.optim.optimizer import Optimizer

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Rows, Sights
from autograd_lint.live.patching import Patches


class Scaled:
    """Knows which leaves hold scaled gradients, by identity."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._losses: dict[int, ref[torch.Tensor]] = {}
        self._leaves: set[int] = set()

    def open(self, patches: Patches) -> None:
        """Start to look."""
        scaler: Any = torch.amp.GradScaler
        scale, unscale = scaler.scale, scaler.unscale_

        @wraps(scale)
        def scaling(own: Any, outputs: Any) -> Any:
            result = scale(own, outputs)
            if isinstance(result, torch.Tensor) and own.is_enabled() and own.get_scale() != 1:
                self._losses[id(result)] = ref(result)
            return result

        @wraps(unscale)
        def unscaling(own: Any, optimizer: Optimizer) -> Any:
            self.cleared(one for group in optimizer.param_groups for one in group["params"])
            return unscale(own, optimizer)

        patches.replace(scaler, "scale", scaling)
        patches.replace(scaler, "unscale_", unscaling)

    def differentiated(self, roots: Iterable[Any], leaves: Iterable[torch.Tensor]) -> None:
        """Backward from these roots has added to the gradients of these leaves."""
        known = (self._losses.get(id(root)) for root in roots)
        if any(loss is not None and loss() is not None for loss in known):
            self._leaves.update(map(id, leaves))

    def cleared(self, parameters: Iterable[torch.Tensor]) -> None:
        """These gradients are unscaled, or gone."""
        self._leaves.difference_update(map(id, parameters))

    def used(self, parameters: Iterable[torch.Tensor], rows: Rows) -> None:
        """These gradients are clipped, or a step uses them as they are."""
        if not self._leaves.isdisjoint(map(id, parameters)):
            self._sights.add(Pitfall.SCALED_GRADIENTS, rows)
