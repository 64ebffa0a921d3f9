"""What was computed from parameters before their steps, and sends gradients to them ever since.

anchor = torch.cat([p.flatten() for p in net.parameters()])     # with its graph
for x, y in batches:
    drift = torch.cat([p.flatten() for p in net.parameters()]) - anchor
    (loss(net(x), y) + drift.square().sum()).backward()         # of which nothing is left

Where operators save nothing, the engine does not notice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import ANCHOR, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of, place_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import sequence_number

_AGAIN = 2  # walks through a node, after each of which its parameter was moved
_MOST = 64  # nodes that are followed


@dataclass(slots=True)
class _Followed:
    """A node above a parameter: the version that this had in the latest walk through the node, and
    how often it was another one than in the walk before."""

    version: int
    times: int = 0


class Outdated(Family):
    """Follows the nodes that were made before the latest step; keeps none alive."""

    __slots__ = ("_followed", "_latest", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._latest = 0  # the number of the next node at the latest step
        self._followed: dict[tuple[int, int], _Followed] = {}  # by number, and parameter

    def after_step(self, optimizer: Optimizer) -> None:
        """An optimizer has stepped."""
        self._latest = sequence_number()

    def look(self, walk: Walk) -> None:
        """A call of the engine begins: which nodes has it gone through before?"""
        if not self._latest or not walk.accumulates or not walk.numbers:
            return
        if min(walk.numbers) >= self._latest:
            return
        for node, number, leaf in self._old(walk):
            known = self._followed.get((number, id(leaf)))
            if known is None:
                if len(self._followed) < _MOST:
                    self._followed[number, id(leaf)] = _Followed(leaf._version)
            elif known.version != leaf._version:
                known.version = leaf._version
                known.times += 1
                if known.times == _AGAIN:
                    self._tell(node, leaf, walk)

    def _old(self, walk: Walk) -> Iterator[tuple[Any, int, torch.Tensor]]:
        """The nodes from before the latest step that hand a gradient to a parameter."""
        for node in walk.nodes:
            number = graph.sequence_of(node)
            if number is None or number >= self._latest:
                continue
            for below in graph.leaf_nodes(graph.edges_of(node)):
                if isinstance(below.variable, torch.nn.Parameter):
                    yield node, number, below.variable

    def _tell(self, node: Any, leaf: torch.Tensor, walk: Walk) -> None:
        birth = birth_of(node, self._told.record)
        if birth is not None:
            name = name_of(leaf, self._told.sites)
            needed = Needed(place_of(walk.site), walk.name)
            self._told.tell(
                Pitfall.TARGET_LEARNS, birth.site, tensor=name, detail=ANCHOR, needed=needed
            )
