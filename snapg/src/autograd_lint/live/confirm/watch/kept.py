"""Graphs that live on after their backward: tensors that still lead into them."""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.confirm.watch.sights import Rows, Sights
from autograd_lint.live.failure import birth_of
from autograd_lint.live.record import Record

_ROUNDS = 3


class KeptGraphs:
    """Asks what leads into the graph of the first round, when later ones call backward.

    Variables that a round leaves behind are gone two rounds later; what leads into the graph of the
    very next round as well, adds up.
    """

    def __init__(self, sights: Sights, record: Record) -> None:
        self._sights = sights
        self._record = record
        self._walked: dict[Rows, list[set[int]]] = {}  # the nodes of each round, by the call's rows

    def add(self, nodes: list[object], rows: Rows) -> None:
        """A call of backward at these rows walks through these nodes."""
        rounds = self._walked.setdefault(rows, [])
        rounds.append({n for n in map(graph.sequence_of, nodes) if n is not None})
        if 1 < len(rounds) <= _ROUNDS:
            self._look(rounds)

    def look(self) -> None:
        """The program has run to its end: what adds up may have begun after the first round."""
        for rounds in self._walked.values():
            if len(rounds) >= _ROUNDS:
                self._look(rounds)
                self._look_at_several(rounds)

    def look_without_calls(self) -> None:
        """The program has run to its end, and differentiated nothing of what it made in rounds."""
        made = defaultdict[int, list[Any]](list)
        for tensor in computed():
            birth = birth_of(tensor.grad_fn, self._record)
            if birth is not None and birth.site is not None:
                made[birth.site.place.row].append(tensor.grad_fn)
        for row, nodes in made.items():
            if len(set(nodes)) >= _ROUNDS:
                self._sights.add(Pitfall.GRAPH_KEPT, {row})

    def _look(self, rounds: list[set[int]]) -> None:
        first, last = rounds[0].difference(*rounds[1:]), rounds[-1]
        for tensor in computed() if first else ():
            nodes = graph.nodes_below([tensor.grad_fn])
            numbers = set(map(graph.sequence_of, nodes))
            if numbers & first and (len(rounds) >= _ROUNDS or numbers & last):
                self._tell(nodes)

    def _look_at_several(self, rounds: list[set[int]]) -> None:
        """Whether something leads into the graphs of several rounds, each by nodes of its own."""
        times = Counter(number for one in rounds for number in one)
        own = [{number for number in one if times[number] == 1} for one in rounds]
        for tensor in computed():
            nodes = graph.nodes_below([tensor.grad_fn])
            numbers = set(map(graph.sequence_of, nodes))
            if sum(not numbers.isdisjoint(one) for one in own) > 1:
                self._tell(nodes)

    def _tell(self, nodes: list[Any]) -> None:
        births = (birth_of(node, self._record) for node in nodes[:3])
        rows = {one.site.place.row for one in births if one and one.site}
        self._sights.add(Pitfall.GRAPH_KEPT, rows)


def computed() -> Iterator[torch.Tensor]:
    """The tensors alive that have a graph."""
    for value in gc.get_objects():
        if type(value) is torch.Tensor and value.requires_grad and graph.node_of(value) is not None:
            yield value
