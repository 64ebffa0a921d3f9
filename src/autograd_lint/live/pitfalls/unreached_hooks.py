"""Hooks for gradients of what no backward gets to.

output = layer(state, x)
again = layer(state.detach(), x)
again.register_hook(solve)              # the loss is one of `output`
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch

from autograd_lint.engine.pitfalls import HOOK_UNREACHED, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_AGAIN = 3  # backwards before each of which a hook was put there
_MOST = 64  # tensors with a hook that wait for a backward


class UnreachedHooks(Family):
    """Knows the nodes that hooks were put on since the latest backwards."""

    __slots__ = ("_ran", "_times", "_told", "_waiting")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._waiting: dict[int, Site] = {}  # by the number of the node
        self._ran: set[Site] = set()
        self._times: Counter[Site] = Counter()

    def hooked(self, tensor: torch.Tensor, hook: Any, site: Site | None) -> None:
        """A hook is about to be put on a tensor."""
        node = graph.node_of(tensor)
        number = graph.sequence_of(node) if node is not None else None
        if number is not None and site is not None and site not in self._ran:
            if len(self._waiting) < _MOST:
                self._waiting[number] = site
            self._times[site] += 1

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: which of them does it get to?"""
        if self._waiting:
            self._ran.update(
                site for number in walk.numbers if (site := self._waiting.get(number)) is not None
            )
            self._waiting = {
                number: site for number, site in self._waiting.items() if site not in self._ran
            }

    def trained(self) -> None:
        """The program has run to its end: who was never got to?"""
        for site, times in self._times.items():
            if times >= _AGAIN and site not in self._ran:
                self._told.tell(Pitfall.INPUT_UNUSED, site, detail=HOOK_UNREACHED)
