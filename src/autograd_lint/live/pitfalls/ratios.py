"""Ratios of two probabilities that are one for each sample: both have the graph of one policy.

old, new = policy.log_prob(x, a), policy.log_prob(x, a)
ratio = torch.exp(new - old)               # `old` is to be from before the update
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_AGAIN = 3  # calls in which a ratio was one for all


class Ratios(Family):
    """Looks at exponentials of differences; keeps nothing of them."""

    __slots__ = ("_known", "_other", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._known: Counter[Site] = Counter()
        self._other: set[Site] = set()  # where a ratio was another number

    def look(self, walk: Walk) -> None:
        """A call of the engine begins."""
        for node in walk.of(("exp",)):
            difference = _difference(node)
            birth = birth_of(difference, self._told.record) if difference is not None else None
            if birth is None or birth.site is None:
                continue
            if _is_one(node, self._told.record.has_packed):
                self._known[birth.site] += 1
            else:
                self._other.add(birth.site)

    def trained(self) -> None:
        """The program has run to its end."""
        for site, times in self._known.items():
            if times >= _AGAIN and site not in self._other:
                self._told.tell(Pitfall.CONSTANT_RATIO, site)


def _difference(node: Any) -> Any:
    """The difference of two results of the same leaves that a node takes the exponential of."""
    below = graph.edges_of(node)[0]
    edges = graph.edges_of(below) if graph.operator_of(below) == "sub" else []
    leaves = [set(map(id, graph.leaves_in(graph.nodes_below([edge])))) for edge in edges]
    return (
        below if len(leaves) == 2 and leaves[0] == leaves[1] and edges[0] is not edges[1] else None
    )


def _is_one(node: Any, hooks: bool) -> bool:
    results = (slot.tensor for slot in graph.slots_of(node, hooks) if slot.attribute == "result")
    result = next(results, None)
    if result is None or result.device.type != "cpu" or result.numel() < 2:
        return False
    return bool((result.detach() == 1).all())
