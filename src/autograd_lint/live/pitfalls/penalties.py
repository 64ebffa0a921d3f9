"""Penalties on a gradient that are cut out of the loss, though the graph for them was made.

(gradient,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
penalty = gradient.square().sum(1).detach()
(loss + penalty.mean()).backward()          # trains nothing by the penalty
"""

from __future__ import annotations

import torch

from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import CUT_PENALTY, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Walked
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import sequence_number
from autograd_lint.live.sites import Site

_MOST = 256  # sums that are remembered
_SUMMING = frozenset({"add", "div", "mean", "mul", "neg", "stack", "sub", "sum"})


class Penalties(Family):
    """Knows which nodes belong to graphs of gradients, where one was left, and what was added to
    others after that."""

    __slots__ = ("_began", "_cut", "_made", "_terms", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._began: int | None = None  # the number of the next node at a call that makes a graph
        self._made: list[tuple[int, int, Site | None]] = []  # by such calls, the latest ones
        self._cut: dict[Site, Site | None] = {}  # where one was left: the call that made it
        self._terms: dict[int, Site] = {}  # by the number of the adding node

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins."""
        self._began = sequence_number() if walk.creates and not walk.accumulates else None

    def after_backward(self, walked: Walked) -> None:
        """It has returned."""
        if self._began is not None:
            self._made = [*self._made[-3:], (self._began, sequence_number(), walked.call.site)]

    def cut(self, operator: str, site: Site, tensor: torch.Tensor) -> None:
        """An operator there leaves a graph: one of a gradient?"""
        if operator not in ("data", "detach") or not self._made or site in self._cut:
            return
        numbers = graph.numbers_of(graph.nodes_below(graph.roots_of([tensor])))
        for first, last, made in self._made:
            if any(first <= number < last for number in numbers):
                self._cut[site] = made

    def is_cut(self, site: Site) -> bool:
        """Whether the graph of a gradient is left at a place."""
        return site in self._cut

    def added(self, operator: str, site: Site, number: int) -> None:
        """What was left there is a term of a sum."""
        if site in self._cut and len(self._terms) < _MOST:
            self._terms[number] = site

    def look(self, walk: Walk) -> None:
        """A call of the engine begins that is looked at closely: does it begin with that sum?"""
        if not self._terms or not walk.accumulates:
            return
        for node in graph.spread(graph.roots_of(walk.roots), _SUMMING):
            site = self._terms.get(graph.age_of(node))
            if site is not None:
                made = place_of(self._cut[site])
                self._told.tell(
                    Pitfall.PENALTY_WITHOUT_GRAPH,
                    site,
                    operator="detach",
                    detail=CUT_PENALTY,
                    built=Created(made, "grad") if made is not None else None,
                    needed=Needed(place_of(walk.site), walk.name),
                )
