"""Backwards through a loss whose gradients are there already: the step counts them twice.

total = 0
for x, y in batches:
    total = total + loss(net(x), y)
    total.backward(retain_graph=True)       # through the terms of the iterations before, again
optimizer.step()
"""

from __future__ import annotations

from collections import Counter

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_AGAIN = 2  # steps that use such a sum
_MOST = 16  # losses that are remembered


class CountedTwice(Family):
    """Knows the roots that gradients were computed from since these were cleared."""

    __slots__ = ("_again", "_times", "_told", "_walked")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._walked: dict[int, Site] = {}  # by the number of the root's node
        self._again: dict[Site, Site] = {}
        self._times: Counter[Site] = Counter()

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: does it come by a root of an earlier one?"""
        if not walk.accumulates or walk.site is None:
            return
        roots = graph.numbers_of(graph.roots_of(walk.roots))
        if self._walked:
            met = [one for one in walk.numbers if one in self._walked and one not in roots]
            if met:
                self._again[walk.site] = self._walked[met[0]]
        if len(self._walked) < _MOST:
            self._walked.update(dict.fromkeys(roots, walk.site))

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """Gradients are about to be cleared."""
        self._walked.clear()
        self._again.clear()

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use gradients."""
        for site, earlier in self._again.items():
            self._times[site] += 1
            if self._times[site] == _AGAIN:
                needed = Needed(place_of(earlier), "backward")
                self._told.tell(Pitfall.COUNTED_TWICE, site, needed=needed)
        self._walked.clear()
        self._again.clear()
