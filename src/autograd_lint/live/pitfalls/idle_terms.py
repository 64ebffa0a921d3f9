"""Terms of a loss that reach the parameters of another optimizer alone, which drops the gradients.

fake = generator(noise)
adversarial = loss(discriminator(fake.detach()), 1)     # nothing of it gets to the generator
(adversarial + reconstruction).backward()
generator_optimizer.step()
discriminator_optimizer.zero_grad()
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import OF_ANOTHER, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.cuts import Cuts
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import storage_id
from autograd_lint.live.sites import Site

_ROUNDS = 3  # in which the gradients of a term were dropped
_MOST = 8  # optimizers that are told apart
_SUMMING = frozenset({"add", "div", "mean", "mul", "neg", "stack", "sub", "sum"})
_LEAVING = ("data", "detach")


@dataclass(slots=True)
class _Idle:
    """A term whose gradients an optimizer gets: where the graph of another one's parameters was
    left for it, the backward, the optimizers that all of its loss reaches, and how often they were
    dropped; whether a step has used them."""

    receiver: int
    needed: Site | None
    reached: set[int]
    times: int = 0
    is_waiting: bool = False
    is_used: bool = False


class IdleTerms(Family):
    """Knows which terms are made of what was detached and reach one optimizer alone, though the
    rest of their loss reaches others."""

    __slots__ = ("_cuts", "_idle", "_owners", "_told")

    def __init__(self, told: Told, cuts: Cuts) -> None:
        self._told = told
        self._cuts = cuts
        self._owners: dict[int, set[int]] = {}  # the parameters of each optimizer
        self._idle: dict[Site, _Idle] = {}

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built."""
        if len(self._owners) < _MOST:
            self._owners[id(optimizer)] = set(map(id, held))

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: of the same loss as in earlier rounds?"""
        if not self._idle or not walk.accumulates or walk.site is None:
            return
        reached = self._reached(walk.leaves)
        for known in self._idle.values():
            known.is_waiting |= walk.site is known.needed and reached == known.reached

    def look(self, walk: Walk) -> None:
        """A call of the engine begins that is looked at closely."""
        whole = self._reached(walk.leaves) if len(self._owners) > 1 and walk.accumulates else set()
        if len(whole) < 2:
            return
        for term in graph.spread(graph.roots_of(walk.roots), _SUMMING):
            if graph.operator_of(term) in _SUMMING:
                continue
            nodes = graph.nodes_below([term])
            reached = self._reached(graph.leaves_in(nodes))
            site = self._left_for(nodes, reached) if len(reached) == 1 else None
            if site is not None:
                idle = _Idle(next(iter(reached)), walk.site, whole)
                known = self._idle.setdefault(site, idle)
                known.is_waiting = True

    def _reached(self, leaves: list[torch.Tensor]) -> set[int]:
        """The optimizers that have one of these."""
        own = set(map(id, leaves))
        return {key for key, held in self._owners.items() if not held.isdisjoint(own)}

    def _left_for(self, nodes: list[Any], reached: set[int]) -> Site | None:
        """Where the graph of what other optimizers train was left for a term."""
        others = [held for key, held in self._owners.items() if key not in reached]
        for site in self._leaving(nodes):
            below = {id(leaf.tensor()) for leaf in self._cuts.below(site)}
            if any(not held.isdisjoint(below) for held in others):
                return site
        return None

    def _leaving(self, nodes: list[Any]) -> Iterator[Site]:
        """Where the graphs were left of what layers of a term are applied to."""
        record = self._told.record
        for node in nodes:
            if graph.operator_of(node) not in graph.PRODUCTS:
                continue
            for slot in graph.slots_of(node, record.has_packed):
                storage = storage_id(slot.tensor) if slot.tensor is not None else None
                origin = record.memory.origin(storage) if storage is not None else None
                cut = origin.cut if origin is not None else None
                if cut is not None and cut.site is not None and cut.operator in _LEAVING:
                    yield cut.site

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """An optimizer is about to clear its gradients: those of such a term?"""
        waiting = [known for known in self._idle.values() if known.is_waiting]
        own = set(map(id, held)) if waiting else set[int]()
        for known in waiting:
            if self._owners[known.receiver] <= own:
                known.is_waiting = False
                known.times += 1

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use its gradients: those of such a term?"""
        for known in self._idle.values():
            known.is_used |= known.is_waiting and known.receiver == id(step.optimizer)

    def trained(self) -> None:
        """The program has run to its end: which of them have trained nothing?"""
        for site, known in self._idle.items():
            if known.times >= _ROUNDS and not known.is_used:
                needed = Needed(place_of(known.needed), "backward")
                self._told.tell(
                    Pitfall.CONSTANT_TERM,
                    site,
                    operator="detach",
                    detail=OF_ANOTHER,
                    needed=needed,
                )
