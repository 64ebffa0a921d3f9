"""Recurrences whose state is detached at each step: no gradient crosses from one step to another.

for t in range(steps):
    h = self.cell(x[:, t], h.detach())
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.walk import walk_order
from autograd_lint.libraries.torch.events import Detached, PassBegun
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

CELLS = {"RNNCell", "GRUCell", "LSTMCell", "RNN", "GRU", "LSTM"}
PRODUCTS = {"Linear", "linear", "matmul", "mm", "addmm"}
ACROSS = frozenset({Assumption(Kind.MEANT_TO_CROSS, weight=0)})


@dataclass(frozen=True, slots=True)
class Span:
    """The rows of the innermost loop around a cut that each iteration makes."""

    filename: str
    first: int
    last: int

    def holds(self, place: Place) -> bool:
        return place.filename == self.filename and self.first <= place.row <= self.last


@dataclass(slots=True, eq=False)
class CutRecurrences(Checker):
    """Looks at the steps of recurrences that a backward goes through; `loops` are those around
    cuts."""

    loops: dict[Place, Span] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, Detached, cls.detached)
        to.add(cls, PassBegun, cls.passed)

    def detached(self, interp: Interpreter, event: Detached) -> None:
        """A value is taken out of its graph: in each iteration of a loop?"""
        place = event.made.place
        loop = _loop(interp.source, place) if place is not None else None
        if place is not None and loop is not None:
            self.loops[place] = Span(place.filename, loop.lineno, loop.end_lineno or loop.lineno)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: is the state of a step on its way cut off the step before?"""
        walk = event.walk
        if walk.call.place is None or not self.loops:
            return
        steps = [node for node in walk.order if node.graph_breaks and _is_cell(node)]
        steps += [node for one in walk.order for node in _sums(one)]
        for step in steps:
            for cut in self._cuts(step):
                note(
                    interp,
                    Pitfall.RECURRENCE_CUT,
                    cut.event.place,
                    tensor=cut.source.name,
                    operator=step.operator,
                    needed=Needed(step.place, "call"),
                    assumptions=ACROSS | cut.assumptions | step.requires,
                )

    def _cuts(self, step: Node) -> Iterator[GraphBreak]:
        """Where the state of a step is cut off the same step before, in the loop of both."""
        for cut in step.graph_breaks:
            loop = self.loops.get(cut.event.place) if cut.event.place is not None else None
            if cut.switch is not None or cut.source.walked_at or loop is None:
                continue
            if step.place is not None and loop.holds(step.place) and _leads_back(cut.source, step):
                yield cut


def _is_cell(node: Node) -> bool:
    return node.operator.rpartition(".")[2] in CELLS


def _sums(node: Node) -> Iterator[Node]:
    """The products by weights of their own whose sum is what a step begins with, and whose values
    were cut off a graph."""
    if node.operator != "add" or len(node.edges) != 2:
        return
    products = [edge for edge in node.edges if edge.operator in PRODUCTS and _weights(edge)]
    if len(products) == 2 and not _weights(products[0]) & _weights(products[1]):
        yield from (one for one in products if one.graph_breaks)


def _weights(node: Node) -> frozenset[int]:
    """The parameters that an operator is given as they are."""
    leaves = (edge.leaf for edge in node.edges)
    return frozenset(id(leaf) for leaf in leaves if leaf is not None and leaf.parameter)


def _leads_back(source: Node, step: Node) -> bool:
    """Whether a graph was made by the same step, earlier."""
    same = (one for one in walk_order([source], None) if one.place == step.place)
    return any(_weights(one) == _weights(step) != frozenset() for one in same)


def _loop(source: Source, place: Place) -> ast.For | ast.While | None:
    """The innermost loop around a place that gets there in each iteration."""
    loops: list[ast.For | ast.While] = [*source.each(ast.For), *source.each(ast.While)]
    around = [one for one in loops if _holds(one, place)]
    inner = max(around, key=lambda one: one.lineno, default=None)
    if inner is None:
        return None
    chosen = (one for one in source.each(ast.If) if one.lineno > inner.lineno)
    return None if any(_holds(one, place) for one in chosen) else inner


def _holds(node: ast.stmt, place: Place) -> bool:
    return node.lineno <= place.row <= (node.end_lineno or 0)
