"""Graphs that are built to be read: by modules in evaluation mode, or between steps of training."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from traceback import walk_stack
from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

import torch

from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import ONLY_READ, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of
from autograd_lint.live.pitfalls.family import Family, Walked
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_AGAIN = 3  # times that something is read, or that a module is put into evaluation mode
_ROUNDS = 3  # from one backward to the next, in which modules that are trained are only read
_MOST = 16  # graphs of a place that are remembered, and looked at from one backward to the next
_MOST_LEFT = 64  # the same of a place that leaves graphs which others read
_NODES = 16  # of a graph, from each of its ends, of which it is asked where they were made
_LEAVING = ("data", "detach")  # says that no gradient is wanted


@dataclass(slots=True)
class _Reading:
    """What leaves its graph at a place: where that graph begins, as far as it was made in a running
    function, a leaf of it, where its modules were put into evaluation mode, if they were, the first
    and the last node of each, and in how many rounds that was, the latest of which is `round`.
    `is_used` says that a backward has gone through one, or that what was read is in a graph."""

    begins: Site
    leaf: Leaf
    evaluated: Site | None
    made: list[tuple[int, int]] = field(default_factory=list)
    rounds: int = 0
    round: int = -1
    is_used: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether enough is known of it."""
        return self.is_used or (len(self.made) >= _MOST and self.rounds >= _ROUNDS)

    def add(self, first: int, last: int) -> None:
        """A graph with these nodes at its ends; the last of many stands for all after it."""
        if len(self.made) >= _MOST:
            first, before = self.made.pop()
            last = max(before, last)
        self.made.append((first, last))


class Evaluations(Family):
    """Knows what was read of what modules compute; keeps no module and no graph alive."""

    __slots__ = (
        "_evaluated", "_gradients", "_is_walking", "_looked", "_parameters", "_readings", "_times",
        "_told", "_walked",
    )  # fmt: skip

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._is_walking = False  # what is computed then is computed again, for a checkpoint
        self._walked: deque[tuple[int, int]] = deque(maxlen=_MOST)  # of the latest calls
        self._evaluated: WeakKeyDictionary[torch.nn.Module, Site | None] = WeakKeyDictionary()
        self._parameters: frozenset[int] | None = None  # by identity, of all that is evaluated
        self._times: Counter[Site | None] = Counter()  # by where the mode is set
        self._readings: dict[Site, _Reading] = {}
        self._looked: Counter[Site] = Counter()  # how often since the latest call

    def put(self, module: torch.nn.Module, training: bool) -> None:
        """The program puts a module into a mode."""
        if not training:
            site = self._evaluated[module] = self._told.here()
            self._times[site] += 1
        elif self._evaluated:
            for part in module.modules():
                self._evaluated.pop(part, None)
        self._parameters = None

    def cut(self, operator: str, site: Site, tensor: torch.Tensor) -> None:
        """An operator at a place leaves the graph of a tensor."""
        node, known = graph.node_of(tensor), self._readings.get(site)
        if node is None or self._is_walking or (known is not None and known.is_settled):
            return
        asked = self._read() if operator in _LEAVING else []
        if operator in _LEAVING and not (asked or self._evaluated):
            return
        self._looked[site] += 1
        if self._looked[site] > (_MOST_LEFT if asked else _MOST):
            self._pass_over(known, asked, graph.age_of(node))
            return
        nodes = graph.nodes_below([node])
        numbers = sorted(graph.numbers_of(nodes))
        if not numbers or self._is_walked(numbers):
            return
        for reading in asked:
            reading.is_used = _meet(numbers, reading.made)
        known = known or self._new(operator, site, nodes)
        if known is not None:
            known.add(numbers[0], numbers[-1])
            known.rounds += self._gradients.backwards != known.round
            known.round = self._gradients.backwards

    def _read(self) -> list[_Reading]:
        """What is no oversight where the program leaves the same graph by itself."""
        readings = self._readings.values()
        return [one for one in readings if one.evaluated is None and not one.is_used]

    def _pass_over(self, known: _Reading | None, asked: list[_Reading], latest: int) -> None:
        """One of many graphs is not walked through, up to its latest node: one that grows would be
        again and again. What was read of an older one may have been of it."""
        if known is not None:
            known.add(latest, latest)
        for reading in asked:
            reading.is_used = reading.made[0][0] <= latest

    def used(self, site: Site, operator: str) -> None:
        """What was left there is in a graph."""
        if site in self._readings:
            self._readings[site].is_used = True

    def added(self, operator: str, site: Site, number: int) -> None:
        """The same as a term of a sum."""
        self.used(site, operator)

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: which of these graphs does it go through?"""
        self._is_walking = True
        self._looked.clear()
        numbers = sorted(walk.numbers)
        if not numbers:
            return
        least = numbers[0]
        self._walked.append((least, numbers[-1]))
        for reading in self._readings.values():
            late = [one for one in reading.made if one[1] >= least and not reading.is_used]
            if late and _meet(numbers, late):
                reading.is_used = True

    def after_backward(self, walked: Walked) -> None:
        """It has returned."""
        self._is_walking = False

    def are_evaluated(self, leaves: Iterable[torch.Tensor]) -> bool:
        """Whether all of these are parameters of modules in evaluation mode."""
        if not self._evaluated:
            return False
        if self._parameters is None:
            parts = chain.from_iterable(one.modules() for one in [*self._evaluated])
            held = (part.parameters(recurse=False) for part in parts if not part.training)
            self._parameters = frozenset(map(id, chain.from_iterable(held)))
        return all(id(leaf) in self._parameters for leaf in leaves)

    def trained(self) -> None:
        """The program has run to its end: which graphs were only there to be read?"""
        first: dict[CodeType, _Reading] = {}
        for reading in self._readings.values():
            if self._is_in_vain(reading):
                known = first.setdefault(reading.begins.code, reading)
                if reading.begins.place.row < known.begins.place.row:
                    first[reading.begins.code] = reading
        for reading in first.values():
            at = reading.evaluated
            self._told.tell(
                Pitfall.EVALUATION_BUILDS_GRAPHS,
                reading.begins,
                detail="" if at is not None else ONLY_READ,
                built=Created(at.place, "eval") if at is not None else None,
            )

    def _is_walked(self, numbers: Sequence[int]) -> bool:
        """Whether a call of the engine may have gone through one of these nodes."""
        is_old = len(self._walked) == _MOST and numbers[0] < self._walked[0][0]
        return is_old or _meet(numbers, self._walked)

    def _is_in_vain(self, reading: _Reading) -> bool:
        if reading.is_used:
            return False
        if reading.evaluated is None:
            return reading.rounds >= _ROUNDS and reading.leaf.backwards > 0
        return max(len(reading.made), self._times[reading.evaluated]) >= _AGAIN

    def _new(self, operator: str, site: Site, nodes: list[Any]) -> _Reading | None:
        """What leaves its graph there, if that is of modules."""
        leaves = graph.leaves_in(nodes)
        if not leaves:
            return None
        is_evaluated = self.are_evaluated(leaves)
        is_meant = operator in _LEAVING or not any(map(_takes_data, nodes))
        if is_meant and not is_evaluated:
            return None
        evaluated = [*self._evaluated.values()][-1] if is_evaluated else None
        leaf = self._gradients.leaf(leaves[0])
        known = self._readings[site] = _Reading(self._begins(nodes, site), leaf, evaluated)
        return known

    def _begins(self, nodes: list[Any], site: Site) -> Site:
        """The first place that has made one of these nodes in the function of `site`, or in the
        innermost caller that made any."""
        numbered = sorted((one for one in nodes if graph.numbers_of([one])), key=graph.age_of)
        asked = chain(islice(numbered, _NODES), numbered[_NODES:][-_NODES:])
        births = (birth_of(node, self._told.record) for node in asked)
        made = [birth.site for birth in births if birth is not None and birth.site is not None]
        running = (frame.f_code for frame, _ in walk_stack(None))
        for code in (site.code, *running) if made else ():
            found = next((one for one in made if one.code is code), None)
            if found is not None:
                return found
        return site


def _meet(numbers: Sequence[int], ranges: Iterable[tuple[int, int]]) -> bool:
    """Whether one of these numbers, which ascend, lies in one of these ranges."""
    return any(
        (at := bisect_left(numbers, first)) < len(numbers) and numbers[at] <= last
        for first, last in ranges
    )


def _takes_data(node: Any) -> bool:
    """Whether a node is that of a product of what has a graph and of what has none."""
    has_none = any(edge is None for edge, _ in node.next_functions)
    return has_none and graph.operator_of(node) in graph.PRODUCTS
