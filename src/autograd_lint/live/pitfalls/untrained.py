"""Modules whose gradients the program clears in each step, and that no optimizer has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import origin_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, sum_of
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_TIMES = 3  # that gradients of a module are cleared, which nothing has used
_MOST = 8  # modules that are followed
_COPYING = frozenset({"t", "transpose", "view"})


@dataclass(slots=True)
class _Cleared:
    """A module that is cleared by itself: its leaves, what one of them is called and where it was
    made, a sum of their values, and how often they had gradients. `is_meant` says that it is there
    to train others: it is applied to what those give."""

    leaves: list[Leaf]
    name: str | None
    made: Site | None
    value: float
    times: int = 0
    is_beside: bool = False
    is_meant: bool = False


class Untrained(Family):
    """Follows the modules that are cleared by themselves; keeps none alive."""

    __slots__ = ("_cleared", "_gradients", "_known", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._cleared: WeakKeyDictionary[torch.nn.Module, _Cleared] = WeakKeyDictionary()
        self._known: list[_Cleared] = []  # also of modules that are gone

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """The program is about to clear the gradients of a module."""
        if not isinstance(owner, torch.nn.Module):
            return
        known = self._cleared.get(owner)
        if known is None:
            known = self._new(owner, held)
        if known is not None and not known.is_meant:
            leaves = known.leaves
            known.times += all(leaf.is_waiting for leaf in leaves)
            known.is_meant |= sum_of(held) != known.value

    def _new(self, module: torch.nn.Module, held: list[torch.Tensor]) -> _Cleared | None:
        first = next((one for one in held if one.requires_grad), None)
        if first is None or first.device.type != "cpu" or len(self._known) >= _MOST:
            return None  # on a GPU, to look at values is to wait
        if any(self._gradients.leaf(one).owned for one in held):
            return None
        origin = origin_of(first, self._told.record)
        made = origin.site if origin is not None else None
        leaves = [self._gradients.leaf(one) for one in held if one.requires_grad]
        known = _Cleared(leaves, name_of(first, self._told.sites), made, sum_of(held))
        self._cleared[module] = known
        self._known.append(known)
        return known

    def look(self, walk: Walk) -> None:
        """A call of the engine begins: what is applied to what is trained?"""
        waiting = [one for one in self._known if not one.is_meant] if walk.accumulates else []
        if not waiting:
            return
        owned = {id(one) for one in walk.leaves if self._gradients.leaf(one).stepped}
        for known in waiting:
            own = {id(leaf.tensor()) for leaf in known.leaves}
            if own.isdisjoint(map(id, walk.leaves)):
                continue
            known.is_beside |= bool(owned)
            known.is_meant |= any(_applies(node, own, owned) for node in walk.nodes)

    def trained(self) -> None:
        """The program has run to its end: which of them has no optimizer got?"""
        built = self._gradients.latest_built()
        for known in self._known:
            is_told = known.times >= _TIMES and known.is_beside and not known.is_meant
            if is_told and not any(leaf.owned for leaf in known.leaves):
                self._told.tell(Pitfall.NO_OPTIMIZER, known.made, tensor=known.name, built=built)


def _applies(node: Any, own: set[int], owned: set[int]) -> bool:
    """Whether a node applies some parameters to what comes of others."""
    if graph.operator_of(node) not in graph.PRODUCTS:
        return False
    edges = graph.edges_of(node)
    weights = [edge for edge in edges if _leaf_of(edge) in own]
    given = (edge for edge in edges if _leaf_of(edge) is None)
    return bool(weights) and any(_leads_to(edge, owned) for edge in given)


def _leaf_of(node: Any) -> int | None:
    """The leaf that a node only gives another shape, by identity."""
    while graph.operator_of(node) in _COPYING and node.next_functions[0][0] is not None:
        node = node.next_functions[0][0]
    return id(node.variable) if graph.operator_of(node) == "accumulate_grad" else None


def _leads_to(node: Any, owned: set[int]) -> bool:
    return any(id(leaf) in owned for leaf in graph.leaves_in(graph.nodes_below([node])))
