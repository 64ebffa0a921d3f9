"""Sums of gradients that are clipped after each part, and not when they are complete.

for x, y in micro_batches:
    (loss(net(x), y) / len(micro_batches)).backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
optimizer.step()
"""

from __future__ import annotations

from collections import Counter
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import PARTS, Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.leaves import Leaf, has_gradient
from autograd_lint.live.pitfalls.told import Told, stepped, tensors
from autograd_lint.live.sites import Site

_AGAIN = 2  # steps that use such a sum


class ClippedParts(Family):
    """Follows one leaf of each clipping until the next step, and keeps none alive."""

    __slots__ = ("_clipped", "_parts", "_times", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._clipped: dict[Site, tuple[ref[torch.Tensor], bool]] = {}
        self._parts: dict[Site, ref[torch.Tensor]] = {}  # what was added to, and clipped again
        self._times: Counter[Site] = Counter()

    def clipping(self, given: Any, limit: Any, site: Site | None) -> None:
        """Gradients are about to be clipped: what was clipped here before, and added to since?"""
        held = [
            one
            for one in tensors(given if isinstance(given, (list, tuple)) else ())
            if has_gradient(one)
        ]
        if site is None or not held:
            return
        known, added = self._clipped.get(site, (None, False))
        first = held[0]
        if added and known is not None and known() is first:
            self._parts[site] = ref(first)
        self._clipped[site] = ref(first), False

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine is about to add to the gradients of these."""
        for at, (known, _) in list(self._clipped.items()):
            tensor = known()
            adds = tensor is not None and any(one.tensor() is tensor for one in leaves)
            if adds and tensor is not None:
                self._clipped[at] = known, has_gradient(tensor)

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """Gradients are about to be cleared."""
        self._clipped.clear()
        self._parts.clear()

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use gradients: sums of which the parts were clipped?"""
        for at, known in self._parts.items():
            tensor = known()
            if tensor is not None and any(one is tensor for one in step.held):
                self._times[at] += 1
                if self._times[at] == _AGAIN:
                    modified = stepped(step.site)
                    self._told.tell(Pitfall.CLIP_IN_VAIN, at, detail=PARTS, modified=modified)
        self._clipped.clear()
        self._parts.clear()
