"""Leaves that a step moves, and whose gradient is zero: it goes through what has no slope."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch.optim import Optimizer

from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import CANCELLED, WITH_ITSELF, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of, place_of
from autograd_lint.live.naming import call_at
from autograd_lint.live.pitfalls import slopes
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf, has_gradient
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.record import Birth
from autograd_lint.live.sites import Site

_SCORE = "log_prob"  # of a sample, moved by what it is compared with
_FIRST = 3  # calls that are looked at in any case: what has a slope then may lose it later
_AGAIN = 2  # calls in which a term has none
_SUMMING = frozenset({"add", "cat", "div", "mean", "mul", "neg", "stack", "sub", "sum"})
_MOST_TERMS = 256


@dataclass(slots=True)
class _Term:
    """A term of a loss that has a graph, and no gradient; in how many calls that was seen."""

    birth: Birth
    detail: str
    times: int = 0


class Flat(Family):
    """Knows which leaves gradients got to through a slope, and which only through functions without
    one; and the terms of a loss that have none for any leaf, for what they add they take away."""

    __slots__ = (
        "_detached",
        "_flat",
        "_gradients",
        "_looked",
        "_sloped",
        "_terms",
        "_told",
        "_zero",
    )

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._looked = 0
        self._detached: set[int] = set()  # sums with what was detached, since the latest call
        self._sloped: set[int] = set()
        self._flat: dict[int, tuple[Leaf, Birth, str]] = {}
        self._terms: dict[Site, _Term] = {}
        self._zero: set[int] = set()  # those whose gradient was zero in some step

    def added(self, operator: str, site: Site, number: int) -> None:
        """What has left a graph there is a term of a sum."""
        self._detached.add(number)

    def look(self, walk: Walk) -> None:
        """A call of the engine begins."""
        detached, self._detached = self._detached, set()
        if not walk.accumulates:
            return
        hooks = self._told.record.has_packed
        losing = set(walk.of(slopes.LOSING))
        losses = ((node, slopes.loss_at(node, hooks)) for node in walk.nodes if node in losing)
        flat = {node: loss for node, loss in losses if loss is not None}
        self._looked += 1
        if not (flat or self._flat or self._looked <= _FIRST):
            return
        roots = graph.roots_of(walk.roots)
        sloped = graph.leaves_in(slopes.reached(roots, flat))
        self._sloped.update(id(self._gradients.leaf(one)) for one in sloped)
        for node, loss in flat.items():
            birth = birth_of(node, self._told.record)
            below = graph.nodes_below(loss.below) if birth is not None else []
            for tensor in graph.leaves_in(below):
                leaf = self._gradients.leaf(tensor)
                if birth is not None and id(leaf) not in self._sloped:
                    self._flat.setdefault(id(leaf), (leaf, birth, loss.detail))
        cancelled = {
            node: loss
            for node, loss in flat.items()
            if (loss.whole and loss.detail == WITH_ITSELF)
            or (loss.whole and loss.detail == CANCELLED and _is_of_any(node, detached))
        }
        if cancelled:
            self._look_at_terms(roots, cancelled)

    def _look_at_terms(self, roots: list[Any], losses: dict[Any, slopes.Loss]) -> None:
        """Which terms of a loss lead to leaves only by sums that cancel out?"""
        for term in _terms(roots):
            nodes = graph.nodes_below([term])
            inner = [one for one in nodes if one in losses]
            is_trained = any(self._gradients.leaf(one).stepped for one in graph.leaves_in(nodes))
            if not (inner and is_trained) or graph.leaf_nodes(slopes.reached([term], losses)):
                continue
            birth = birth_of(inner[0], self._told.record)
            if birth is not None and birth.site is not None:
                known = self._terms.setdefault(birth.site, _Term(birth, losses[inner[0]].detail))
                known.times += 1

    def settled(self, optimizer: Optimizer) -> None:
        """An optimizer has stepped some times: what is gone at the end is judged by now."""
        for key, (leaf, *_) in self._flat.items():
            tensor = leaf.tensor()
            if tensor is not None and tensor.grad is not None and not has_gradient(tensor):
                self._zero.add(key)

    def trained(self) -> None:
        """The program has run to its end: which of them were to be trained?"""
        for key, (leaf, birth, detail) in self._flat.items():
            tensor = leaf.tensor()
            if key in self._sloped or not leaf.stepped:
                continue
            if key not in self._zero if tensor is None else has_gradient(tensor, at_end=True):
                continue
            name = leaf.name or (name_of(tensor, self._told.sites) if tensor is not None else None)
            self._tell(birth, name, detail)
        for known in self._terms.values():
            if known.times >= _AGAIN:
                self._tell(known.birth, None, known.detail)

    def _tell(self, birth: Birth, name: str | None, detail: str) -> None:
        call = call_at(birth.site.place) if detail == CANCELLED and birth.site else None
        if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == _SCORE:
            sample = ast.unparse(call.args[0]) if call.args else None
            self._told.tell(Pitfall.SAMPLE_SCORED, birth.site, tensor=sample)
            return
        self._told.tell(
            Pitfall.GRADIENT_CUT,
            birth.site,
            tensor=name,
            operator=birth.operator.lstrip("_"),
            detail=detail,
            built=Created(place_of(birth.site), birth.operator),
        )


def _is_of_any(node: Any, numbers: set[int]) -> bool:
    """Whether a sum was made by one of these nodes, by their numbers."""
    return not numbers.isdisjoint(slopes.numbers_in(node))


def _terms(roots: list[Any]) -> Iterator[Any]:
    """What a loss adds up, by sums and scales alone."""
    waiting, seen = list(roots), set(roots)
    while waiting and len(seen) < _MOST_TERMS:
        node = waiting.pop()
        edges = graph.edges_of(node)
        if graph.operator_of(node) not in _SUMMING or (
            graph.operator_of(node) in ("div", "mul") and len(edges) > 1
        ):
            yield node
            continue
        waiting += (one for one in edges if one not in seen)
        seen.update(edges)
