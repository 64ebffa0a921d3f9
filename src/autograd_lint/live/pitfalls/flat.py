"""Leaves that a step moves, and whose gradient is zero: it goes through a function of steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch.optim import Optimizer

from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of, place_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf, has_gradient
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.record import Birth

_FLAT = frozenset({"ceil", "floor", "round", "sign", "trunc"})


class Flat(Family):
    """Knows which leaves gradients got to through a slope, and which only through steps."""

    __slots__ = ("_flat", "_gradients", "_sloped", "_told", "_zero")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._sloped: set[int] = set()
        self._flat: dict[int, tuple[Leaf, Birth]] = {}
        self._zero: set[int] = set()  # those whose gradient was zero in some step

    def look(self, walk: Walk) -> None:
        """A call of the engine begins."""
        if not walk.accumulates:
            return
        flat = [node for node in walk.nodes if graph.operator_of(node) in _FLAT]
        if not (flat or self._flat):
            return
        sloped = graph.leaves_in(_above(graph.roots_of(walk.roots), set(flat)))
        self._sloped.update(id(self._gradients.leaf(one)) for one in sloped)
        for node in flat:
            birth = birth_of(node, self._told.record)
            for tensor in graph.leaves_in(graph.nodes_below([node])) if birth is not None else ():
                leaf = self._gradients.leaf(tensor)
                if birth is not None and id(leaf) not in self._sloped:
                    self._flat.setdefault(id(leaf), (leaf, birth))

    def settled(self, optimizer: Optimizer) -> None:
        """An optimizer has stepped some times: what is gone at the end is judged by now."""
        for key, (leaf, _) in self._flat.items():
            tensor = leaf.tensor()
            if tensor is not None and tensor.grad is not None and not has_gradient(tensor):
                self._zero.add(key)

    def trained(self) -> None:
        """The program has run to its end: which of them were to be trained?"""
        for key, (leaf, birth) in self._flat.items():
            tensor = leaf.tensor()
            if key in self._sloped or not leaf.stepped:
                continue
            if key not in self._zero if tensor is None else has_gradient(tensor, at_end=True):
                continue
            name = leaf.name or (name_of(tensor, self._told.sites) if tensor is not None else None)
            built = Created(place_of(birth.site), birth.operator)
            self._told.tell(
                Pitfall.GRADIENT_CUT, birth.site, tensor=name, operator=birth.operator, built=built
            )


def _above(roots: Iterable[Any], flat: set[Any]) -> list[Any]:
    """The nodes that gradients other than zero get to."""
    found = list(dict.fromkeys(roots))
    seen = set(found)
    for node in found:
        for one, _ in node.next_functions if node not in flat else ():
            if one is not None and one not in seen:
                seen.add(one)
                found.append(one)
    return found
