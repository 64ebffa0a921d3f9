"""Ratios of two probabilities that are one for each sample: both are of one policy, as it is.

old, new = policy.log_prob(x, a), policy.log_prob(x, a)
ratio = torch.exp(new - old)               # `old` is to be from before the update
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told, tensors
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import WeakStorage, storage_id, version_of
from autograd_lint.live.sites import Site

_AGAIN = 3  # calls in which a ratio was one for all


class Ratios(Family):
    """Looks at exponentials of differences; keeps nothing of them.

    Where the old probability has no graph it may be that of samples which only one update is made
    with: there the weights of the samples are to be those of the call before. What a result is when
    it is detached is meant to be the same.
    """

    __slots__ = ("_apart", "_known", "_other", "_told", "_weights")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._known: Counter[Site] = Counter()
        self._other: set[Site] = set()  # where a ratio was another number
        self._apart: set[Site] = set()  # differences of what was computed twice
        # Of the ratios in the latest call, with its version.
        self._weights: dict[Site, tuple[WeakStorage, int | None]] = {}

    def combined(self, operator: str, given: tuple[Any, ...], site: Site, number: int) -> None:
        """An operator there has combined these for the first time."""
        both = tensors(given) if operator == "sub" else []
        if len(both) == 2 and both[0].requires_grad and storage_id(both[0]) != storage_id(both[1]):
            self._apart.add(site)

    def look(self, walk: Walk) -> None:
        """A call of the engine begins."""
        ratios = walk.of(("exp",))
        weights = self._weights_in(walk) if ratios else {}
        for node in ratios:
            difference, is_alone = _difference(node)
            birth = birth_of(difference, self._told.record) if difference is not None else None
            if birth is None or birth.site is None:
                continue
            if is_alone and not self._is_repeated(birth.site, weights.get(node)):
                continue
            if _is_one(node, self._told.record.has_packed):
                self._known[birth.site] += 1
            else:
                self._other.add(birth.site)

    def _weights_in(self, walk: Walk) -> dict[Any, torch.Tensor]:
        """What each result is multiplied by without a graph, by the node of that result."""
        found: dict[Any, torch.Tensor] = {}
        for node in walk.of(("mul",)):
            edges = graph.edges_of(node)
            slots = graph.slots_of(node, self._told.record.has_packed)
            saved = [slot.tensor for slot in slots if slot.tensor is not None]
            if len(edges) == len(saved) == 1 and saved[0].dim():
                found.setdefault(edges[0], saved[0])
        return found

    def _is_repeated(self, site: Site, weight: torch.Tensor | None) -> bool:
        """Whether a ratio of two results of their own is weighed as in the call before."""
        if weight is None or site not in self._apart:
            return False
        before, version = self._weights.get(site, (None, None))
        memory = before.get() if before is not None else None
        self._weights[site] = WeakStorage(weight.untyped_storage()), version_of(weight)
        is_same = memory is not None and int(memory._cdata) == storage_id(weight)
        return is_same and version == version_of(weight)

    def trained(self) -> None:
        """The program has run to its end."""
        for site, times in self._known.items():
            if times >= _AGAIN and site not in self._other:
                self._told.tell(Pitfall.CONSTANT_RATIO, site)


def _difference(node: Any) -> tuple[Any, bool]:
    """The difference of two results of the same leaves that a node takes the exponential of, or
    that of a result and data, and whether it is the latter; None for anything else."""
    below = graph.edges_of(node)[0]
    edges = graph.edges_of(below) if graph.operator_of(below) == "sub" else []
    if len(edges) == 1:
        return below, True
    leaves = [set(map(id, graph.leaves_in(graph.nodes_below([edge])))) for edge in edges]
    is_of_one = len(leaves) == 2 and leaves[0] == leaves[1] and edges[0] is not edges[1]
    return (below if is_of_one else None), False


def _is_one(node: Any, hooks: bool) -> bool:
    results = (slot.tensor for slot in graph.slots_of(node, hooks) if slot.attribute == "result")
    result = next(results, None)
    if result is None or result.device.type != "cpu" or result.numel() < 2:
        return False
    return bool((result.detach() == 1).all())
