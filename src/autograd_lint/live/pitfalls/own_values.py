"""Terms of a loss that compare a parameter with itself: what it is to stay near was not copied.

start = [p.detach() for p in net.parameters()]          # moves with each step
penalty = sum((p - s).pow(2).sum() for p, s in zip(net.parameters(), start))
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import OWN_VALUE, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of, place_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, tensors
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site
from autograd_lint.live.writes import are_same_elements

_AGAIN = 2  # calls in which such a term was zero
_COMPARING = frozenset({"huber_loss", "l1_loss", "mse_loss", "smooth_l1_loss"})
_MEASURING = frozenset({"abs", "linalg_vector_norm", "norm", "pow"})  # of a difference


class OwnValues(Family):
    """Remembers where a parameter is compared with what lies in its own memory.

    A straight-through estimate takes such a difference as well, but no measure of it.
    """

    __slots__ = ("_found", "_times", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._found: set[Site] = set()
        self._times: Counter[Site] = Counter()

    def combined(self, operator: str, given: tuple[Any, ...], site: Site, number: int) -> None:
        """An operator there has combined these for the first time."""
        both = tensors(given) if operator == "sub" or operator in _COMPARING else []
        if len(both) == 2 and isinstance(both[0], torch.nn.Parameter) and are_same_elements(*both):
            self._found.add(site)

    def look(self, walk: Walk) -> None:
        """A call of the engine begins: does it go through the measure of such a difference?"""
        if not self._found or not walk.accumulates:
            return
        for node in walk.of(_COMPARING | _MEASURING):
            compared = node if graph.operator_of(node) in _COMPARING else _difference(node)
            leaf = _leaf_below(compared)
            birth = birth_of(compared, self._told.record) if leaf is not None else None
            if leaf is None or birth is None or birth.site not in self._found:
                continue
            self._times[birth.site] += 1
            if self._times[birth.site] == _AGAIN:
                self._told.tell(
                    Pitfall.CONSTANT_TERM,
                    birth.site,
                    tensor=name_of(leaf, self._told.sites),
                    detail=OWN_VALUE,
                    needed=Needed(place_of(walk.site), walk.name),
                )
                return


def _difference(measure: Any) -> Any:
    """The difference that a node measures; None for anything else."""
    edges = graph.edges_of(measure)
    is_difference = len(edges) == 1 and graph.operator_of(edges[0]) == "sub"
    return edges[0] if is_difference else None


def _leaf_below(node: Any) -> torch.Tensor | None:
    """The leaf that a node is given, and nothing else with a graph."""
    edges = graph.edges_of(node) if node is not None else []
    leaves = graph.leaves_in(edges)
    is_one = bool(leaves) and len(leaves) == len(edges) and all(one is leaves[0] for one in leaves)
    return leaves[0] if is_one else None
