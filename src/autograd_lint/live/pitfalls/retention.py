"""Graphs that live on from round to round, and what holds them."""

from __future__ import annotations

import ast
from array import array
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.bindings import changes_of, fillings_of
from autograd_lint.live.failure import birth_of, place_of
from autograd_lint.live.naming import statement_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import named_tensors
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.runs import Runs
from autograd_lint.live.sites import Site, Sites
from autograd_lint.places import Place

_ROUNDS = 3
_SETTLED = 4  # calls of a place after which those before have freed their graphs
_MOST = 4_096  # calls of the engine that are told apart


@dataclass(slots=True)
class _Rounds:
    """The calls of one place, how many there were, the nodes of the first ones, whether each kept
    its graph, and whether a variable held results of several then."""

    times: int = 0
    keeps_several: bool = False
    walked: list[Runs] = field(default_factory=list)
    kept: list[bool] = field(default_factory=list)
    again: bool = False


class Retention(Family):
    """Asks in the third round what leads into the graphs of earlier ones, and later which of their
    graphs are still held though they are freed."""

    __slots__ = ("_calls", "_rounds", "_stepped", "_steps", "_told", "_walked")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._rounds: dict[Site, _Rounds] = {}
        self._calls = 0
        self._walked = array("Q")  # the latest nodes of the calls of the engine
        self._stepped = array("Q")  # how often optimizers had stepped by then
        self._steps = 0

    def after_step(self, optimizer: Optimizer) -> None:
        """An optimizer has stepped."""
        self._steps += 1

    def look(self, walk: Walk) -> None:
        """A call of the engine begins."""
        self._calls += 1
        if len(self._walked) < _MOST:
            self._walked.append(max(walk.numbers, default=0))
            self._stepped.append(self._steps)
        numbers = walk.numbers
        self._note_walked_again(numbers)
        if walk.site is None or not walk.accumulates:
            return
        rounds = self._rounds.setdefault(walk.site, _Rounds())
        rounds.times += 1
        if rounds.times == _SETTLED and rounds.keeps_several and self._steps >= _ROUNDS:
            self._look_at_containers(is_over=False)
        if len(rounds.walked) >= _ROUNDS:
            return
        rounds.walked.append(Runs(numbers))
        rounds.kept.append(walk.keeps and not walk.creates)
        if len(rounds.walked) == _ROUNDS:
            self._look(rounds, walk)

    def at_end(self) -> None:
        """The program has run to its end: what was computed in rounds and never differentiated?"""
        if self._calls:
            self._look_at_containers(is_over=True)
            return
        made = defaultdict[Site, list[tuple[str, torch.Tensor]]](list)
        for name, tensor in computed(self._told.sites):
            self._look_at_history(name, tensor)
            birth = birth_of(tensor.grad_fn, self._told.record)
            if birth is not None and birth.site is not None:
                made[birth.site].append((name, tensor))
        for site, found in made.items():
            if len({one.grad_fn for _, one in found}) >= _ROUNDS:
                name = found[0][0]
                self._told.tell(Pitfall.GRAPH_KEPT, site, tensor=name, operator=name)

    def _look_at_containers(self, *, is_over: bool) -> None:
        """What was computed in several rounds, and is kept with its graph: one that is freed from
        step to step, and at the end of the program one that no backward has gone through."""
        kept = defaultdict[tuple[str, Site], list[torch.Tensor]](list)
        for name, tensor in computed(self._told.sites):
            birth = birth_of(tensor.grad_fn, self._told.record)
            if birth is not None and birth.site is not None:
                kept[name, birth.site].append(tensor)
        for (name, site), found in kept.items():
            if len(found) < _ROUNDS:
                continue
            numbers = graph.numbers_of(one.grad_fn for one in found)
            rounds = {bisect_left(self._walked, number) for number in numbers}
            freed = [_is_freed(one) for one in found]
            steps = {self._stepped[one] for one in rounds if one < len(self._stepped)}
            is_useless = all(freed) and len(steps) >= _ROUNDS
            if is_useless or (is_over and not any(freed) and len(rounds) >= _ROUNDS):
                self._tell_holder(name, site)

    def _tell_holder(self, name: str, site: Site) -> None:
        """A variable or an attribute keeps what was computed at a place: the statement that puts it
        there, where that is found."""
        filled = [one for one in changes_of(name, site.filename) if _is_after(one, site)]
        inside = fillings_of(name.partition("[")[0], site.filename) if not filled else []
        place = next(iter(filled or inside), site)
        self._told.tell(
            Pitfall.GRAPH_KEPT,
            place,
            tensor=None if filled else name,
            operator="container" if filled else name,
            built=Created(place_of(site), "loss"),
        )

    def _look_at_history(self, name: str, tensor: torch.Tensor) -> None:
        """A variable that is computed from what it was, with the graph of all that it has been."""
        birth = birth_of(tensor.grad_fn, self._told.record)
        site = birth.site if birth is not None else None
        if site is None or not _rebinds(site):
            return
        nodes = graph.nodes_below([tensor.grad_fn])
        numbered = [node for node in nodes if graph.sequence_of(node) is not None]
        made = [birth_of(node, self._told.record) for node in numbered]
        times = sum(one is not None and one.site is site for one in made)
        if times >= _ROUNDS:
            self._told.tell(Pitfall.GRAPH_KEPT, site, tensor=name, operator=name)

    def _note_walked_again(self, numbers: list[int]) -> None:
        for rounds in self._rounds.values():
            if not rounds.again and len(rounds.walked) < _ROUNDS:
                rounds.again = any(number in one for one in rounds.walked for number in numbers)

    def _look(self, rounds: _Rounds, walk: Walk) -> None:
        needed = Needed(place_of(walk.site), walk.name)
        # With several calls in a round, what each keeps may be meant for the next one.
        if all(rounds.kept) and not rounds.again and len(self._rounds) == 1:
            self._told.tell(Pitfall.NEEDLESS_RETAIN, walk.site, needed=needed)
        first, second, now = rounds.walked
        held = set[str]()
        for name, tensor in computed(self._told.sites):
            if graph.sequence_of(tensor.grad_fn) in now:
                continue
            rounds.keeps_several |= name in held
            held.add(name)
            nodes = graph.nodes_below([tensor.grad_fn])
            numbers = graph.numbers_of(nodes)
            both = any(one in first for one in numbers) and any(one in second for one in numbers)
            if both and not rounds.again:
                self._tell(name, nodes, needed)

    def _tell(self, name: str, nodes: list[Any], needed: Needed) -> None:
        birth = birth_of(nodes[0], self._told.record)
        if birth is None or birth.site is None:
            return
        made = Created(place_of(birth.site), birth.operator)
        self._told.tell(
            Pitfall.GRAPH_KEPT,
            birth.site,
            tensor=name,
            operator=name,
            built=made,
            needed=needed,
        )


def _is_after(place: Place, site: Site) -> bool:
    return place.filename == site.filename and place.row >= site.place.row


def _is_freed(tensor: torch.Tensor) -> bool:
    """Whether a backward has gone through the graph of a tensor, and kept nothing of it."""
    nodes = graph.nodes_below([tensor.grad_fn])
    return any(graph.says_freed(told) for one in nodes for _, told in graph.complaints(one, True))


def _rebinds(site: Site) -> bool:
    """Whether the statement at a place assigns a name what it computes from that (`h = h + w`)."""
    statement = statement_at(site.place)
    if not isinstance(statement, ast.Assign):
        return False
    names = {one.id for one in statement.targets if isinstance(one, ast.Name)}
    read = (one.id for one in ast.walk(statement.value) if isinstance(one, ast.Name))
    return any(name in names for name in read)


def computed(sites: Sites) -> list[tuple[str, torch.Tensor]]:
    """The tensors with a graph that variables lead to, each with its first name."""
    found: dict[int, tuple[str, torch.Tensor]] = {}
    for name, tensor in named_tensors(sites):
        if tensor.requires_grad and graph.node_of(tensor) is not None:
            found.setdefault(id(tensor), (name, tensor))
    return list(found.values())
