"""Samples that have no gradient, and that a layer of the same loss is applied to.

posterior = Normal(mean, deviation)
code = posterior.sample()                       # `rsample()` has a gradient
loss = (decoder(code) - x).square().mean() + kl_divergence(posterior, prior).mean()

Nothing is told of samples that are scored: of an action that a policy draws, and a critic judges.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import Any

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of, origin_of, place_of
from autograd_lint.live.naming import call_at
from autograd_lint.live.origins import DRAWN
from autograd_lint.live.pitfalls.cuts import Cuts
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_AGAIN = 2  # calls
_SHAPING = frozenset({"cat", "expand", "reshape", "squeeze", "stack", "unsqueeze", "view"})
_APPLYING = graph.PRODUCTS | _SHAPING


class Samples(Family):
    """Knows what else takes a sample; keeps none alive."""

    __slots__ = ("_cuts", "_gradients", "_needed", "_takers", "_times", "_told")

    def __init__(self, told: Told, gradients: Gradients, cuts: Cuts) -> None:
        self._told = told
        self._gradients = gradients
        self._cuts = cuts
        self._takers: dict[Site, set[str]] = defaultdict(set)  # operators, by where it was drawn
        self._times: dict[Site, int] = defaultdict(int)
        self._needed: dict[Site, Needed] = {}

    def used(self, site: Site, operator: str) -> None:
        """What has left a graph there is given to an operator that has a node."""
        self._takers[site].add(operator)

    def look(self, walk: Walk) -> None:
        """A call of the engine begins: which layers are applied to samples?"""
        if not walk.accumulates:
            return
        reached = {id(leaf) for leaf in walk.leaves if self._gradients.leaf(leaf).stepped}
        drawn = set(walk.of((DRAWN,)))
        found = set[Site]()
        for node in walk.of(graph.PRODUCTS):
            if self._is_of(node, reached):
                found.update(self._given(node, reached))
                found.update(self._given_with_node(node, drawn, reached))
        for node in walk.nodes if drawn else ():
            for edge in graph.edges_of(node):
                if edge in drawn and graph.operator_of(node) not in _APPLYING:
                    found.difference_update(self._site_of(edge))
        for site in found:
            self._times[site] += 1
            self._needed.setdefault(site, Needed(place_of(walk.site), walk.name))

    def trained(self) -> None:
        """The program has run to its end: which were taken by layers alone?"""
        for site, times in self._times.items():
            if times >= _AGAIN and self._takers[site] <= _APPLYING:
                self._told.tell(
                    Pitfall.SAMPLE_WITHOUT_GRADIENT,
                    site,
                    operator=DRAWN,
                    needed=self._needed[site],
                )

    def _is_of(self, product: Any, reached: set[int]) -> bool:
        """Whether a product is that of a layer which is trained."""
        below = [edge for one in graph.edges_of(product) for edge in (one, *graph.edges_of(one))]
        return any(id(leaf) in reached for leaf in graph.leaves_in(below))

    def _given(self, product: Any, reached: set[int]) -> set[Site]:
        """Where a factor was drawn by `sample()`, of what gradients get to in another way."""
        found = set[Site]()
        for slot in graph.slots_of(product, self._told.record.has_packed):
            origin = origin_of(slot.tensor, self._told.record) if slot.tensor is not None else None
            cut = origin.cut if origin is not None else None
            if cut is None or cut.site is None or cut.operator != DRAWN or not _samples(cut.site):
                continue
            below = self._cuts.below(cut.site)
            if below and all(id(leaf.tensor()) in reached for leaf in below):
                found.add(cut.site)
        return found

    def _given_with_node(self, product: Any, drawn: set[Any], reached: set[int]) -> set[Site]:
        """The same of `torch.normal`, whose node hands on nothing but zeros."""
        found = set[Site]()
        for edge in graph.edges_of(product):
            node = edge
            while graph.operator_of(node) in _SHAPING and len(graph.edges_of(node)) == 1:
                node = graph.edges_of(node)[0]
            if node in drawn:
                leaves = graph.leaves_in(graph.nodes_below([node]))
                if leaves and all(id(leaf) in reached for leaf in leaves):
                    found.update(self._site_of(node))
        return found

    def _site_of(self, node: Any) -> set[Site]:
        birth = birth_of(node, self._told.record)
        return {birth.site} if birth is not None and birth.site is not None else set()


def _samples(site: Site) -> bool:
    """Whether a distribution is asked for a sample without a gradient at a place."""
    call = call_at(site.place)
    function = call.func if call is not None else None
    return isinstance(function, ast.Attribute) and function.attr == "sample"
