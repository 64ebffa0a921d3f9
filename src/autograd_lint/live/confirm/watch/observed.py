"""Tensors whose gradient somebody asked to see, and which are then modified."""

from __future__ import annotations

from weakref import ref

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Rows, Sights


class Observed:
    """Remembers what `register_hook` and `retain_grad` were called on; keeps no tensor alive."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._tensors: dict[int, ref[torch.Tensor]] = {}

    def asked(self, tensor: torch.Tensor) -> None:
        """The gradient of a tensor is to be seen."""
        if tensor.grad_fn is not None:
            self._tensors[id(tensor)] = ref(tensor)

    def wrote(self, tensor: torch.Tensor, rows: Rows) -> None:
        """An operator has written to a tensor: if autograd recorded it, it is another value now."""
        known = self._tensors.get(id(tensor))
        if known is not None and known() is tensor and torch.is_grad_enabled():
            self._sights.add(Pitfall.OBSERVED_MODIFIED, rows)
