"""Targets that get gradients: those of a network that no optimizer has, which nothing uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of, place_of
from autograd_lint.live.pitfalls.evaluations import Evaluations
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import storage_id
from autograd_lint.live.sites import Site

_AGAIN = 2  # calls that were looked at closely, and
_ROUNDS = 3  # calls in all, that fill a gradient which nothing uses
_OF_TARGET, _OF_OTHERS = 1, 2  # what leaves a node leads to
_MIXED = _OF_TARGET | _OF_OTHERS


@dataclass(slots=True)
class _Target:
    """What a target was computed by last, and is differentiated by: where, a leaf of it, what that
    is called, and how often it was seen."""

    leaf: Leaf
    name: str | None
    needed: Site | None
    times: int = 0


class Targets(Family):
    """Knows which parameters are copies of others, and what is computed of them alone; keeps none.

    The network of a target is a copy of a trained one, or in evaluation mode. What it computes is
    a target where it is only compared: no parameter is applied to what comes of it, and it is given
    nothing that was trained.
    """

    __slots__ = ("_copies", "_evaluations", "_gradients", "_targets", "_told")

    def __init__(self, told: Told, gradients: Gradients, evaluations: Evaluations) -> None:
        self._told = told
        self._gradients = gradients
        self._evaluations = evaluations
        # Of the memory of which other one at first, and of which the latest time.
        self._copies: dict[int, tuple[ref[torch.Tensor], int, int]] = {}
        self._targets: dict[Site, _Target] = {}

    def copied(self, copy: torch.Tensor, original: torch.Tensor, site: Site | None) -> None:
        """A parameter is a copy of another one."""
        storage = storage_id(original)
        if storage is None or storage == storage_id(copy):
            return
        known, first, _ = self._copies.get(id(copy), (None, storage, storage))
        is_known = known is not None and known() is copy
        self._copies[id(copy)] = ref(copy), first if is_known else storage, storage

    def loaded(self, module: torch.nn.Module, state: Mapping[str, Any], left: Any) -> None:
        """A module has got what the parameters of another one hold."""
        for name, parameter in module.named_parameters():
            held = state.get(name)
            if isinstance(held, torch.Tensor):
                self.copied(parameter, held, None)

    def look(self, walk: Walk) -> None:
        """A call of the engine begins that is looked at closely."""
        owned = self._gradients.owned() if walk.accumulates else set()
        leaves = {id(leaf): leaf for leaf in walk.leaves if id(leaf) not in owned}
        if not leaves or len(leaves) == len(walk.leaves):
            return
        trained = {storage_id(leaf) for leaf in walk.leaves if id(leaf) in owned}
        of_target = {key for key, leaf in leaves.items() if self._is_of_target(leaf, trained)}
        top = _top(walk.nodes, of_target) if of_target else None
        birth = None if top is None else birth_of(top, self._told.record)
        if birth is None or birth.site is None:
            return
        known = self._targets.get(birth.site)
        if known is None:
            leaf = next(leaf for key, leaf in leaves.items() if key in of_target)
            name = name_of(leaf, self._told.sites)
            target = _Target(self._gradients.leaf(leaf), name, walk.site)
            known = self._targets.setdefault(birth.site, target)
        known.times += 1

    def trained(self) -> None:
        """The program has run to its end: no optimizer has used these gradients."""
        owned = self._gradients.owned()
        for site, known in self._targets.items():
            is_owned = id(known.leaf.tensor()) in owned
            if known.times >= _AGAIN and known.leaf.backwards >= _ROUNDS and not is_owned:
                needed = Needed(place_of(known.needed), "backward")
                self._told.tell(Pitfall.TARGET_LEARNS, site, tensor=known.name, needed=needed)

    def copied_from(self, tensor: torch.Tensor) -> frozenset[int]:
        """The memory that a parameter was made, or written, as a copy of."""
        known, *storages = self._copies.get(id(tensor), (None,))
        is_known = known is not None and known() is tensor
        return frozenset(storages if is_known else ())

    def _is_of_target(self, leaf: torch.Tensor, trained: set[int | None]) -> bool:
        known, *storages = self._copies.get(id(leaf), (None,))
        is_copy = known is not None and known() is leaf and not trained.isdisjoint(storages)
        return is_copy or self._evaluations.are_evaluated([leaf])


def _top(nodes: list[Any], of_target: set[int]) -> Any:
    """The first node that leads to nothing but leaves of a target, and is compared with what leads
    to others; None where these leaves, or others, are applied to what leads to both."""
    targets: list[Any] = []
    leads: dict[Any, int] = {}
    for node in graph.leaf_nodes(nodes):
        leads[node] = _OF_TARGET if id(node.variable) in of_target else _OF_OTHERS
    leaves = set(leads)
    for node in sorted((one for one in nodes if one not in leads), key=graph.age_of):
        below = graph.edges_of(node)
        to = 0
        for one in below:
            to |= leads.get(one, _MIXED)
        leads[node] = to
        if to != _MIXED:
            continue
        if not leaves.isdisjoint(below):
            return None
        targets += (one for one in below if leads.get(one) == _OF_TARGET)
    return min(targets, key=graph.age_of, default=None)
