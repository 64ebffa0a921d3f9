"""Recurrences whose state is detached at each step: no gradient crosses from one step to another.

for t in range(steps):
    h = self.cell(x[:, t], h.detach())
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.walk import walk_order
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import Detached, OperatorRun, PassBegun
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.frames import called_at
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

CELLS = {"RNNCell", "GRUCell", "LSTMCell", "RNN", "GRU", "LSTM"}
PRODUCTS = {"Linear", "linear", "matmul", "mm", "addmm"}
JOINING = {"cat", "concat", "hstack"}
MOST_CALLS = 4  # calls between a cut and the loop that makes it
ACROSS = frozenset({Assumption(Kind.MEANT_TO_CROSS, weight=0)})


@immutable
class Span:
    """The rows of the innermost loop around a cut that each iteration makes."""

    filename: str
    first: int
    last: int

    def holds(self, place: Place) -> bool:
        return place.filename == self.filename and self.first <= place.row <= self.last


@dataclass(frozen=True, slots=True, eq=False)
class LoopedCut:
    """A graph break that each iteration of a loop makes, at `place` in the file of the loop."""

    graph_break: GraphBreak
    place: Place
    loop: Span


@dataclass(slots=True, eq=False, repr=False)
class CutRecurrences(Checker):
    """Looks at the steps of recurrences that a backward goes through; `cuts` are those that loops
    make, `joined` those of them that were put together with something else, by identity."""

    cuts: dict[int, LoopedCut] = field(default_factory=dict)
    joined: set[int] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, Detached, cls.detached)
        to.add(cls, OperatorRun, cls.operator_run, only=JOINING.__contains__, waits=True)
        to.add(cls, PassBegun, cls.passed)

    def detached(self, interp: Interpreter, event: Detached) -> None:
        """A value is taken out of its graph: in each iteration of a loop?"""
        found = _around(interp, event.made.place)
        if found is not None:
            place, loop = found
            for one in event.alias.graph_breaks[:1]:
                self.cuts[id(one)] = LoopedCut(one, place, loop)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """Tensors are put together: is the state of a recurrence among them?"""
        operation = event.operation
        if len(operation.tensors()) > 1:
            breaks = (one for tensor in operation.tensors() for one in tensor.graph_breaks)
            self.joined.update(id(one) for one in breaks if id(one) in self.cuts)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: is the state of a step on its way cut off the step before?"""
        walk = event.walk
        if walk.call.place is None or not self.cuts:
            return
        steps = [node for node in walk.order if node.graph_breaks and _is_cell(node)]
        steps += [node for one in walk.order for node in _sums(one)]
        for step in steps:
            known = self._cuts(step, step.graph_breaks)
            _tell(interp, step, [cut for cut in known if _leads_back(cut.graph_break.source, step)])
        for step in walk.order if self.joined else ():
            given = [one for one in _joined_breaks(step) if id(one) in self.joined]
            known = self._cuts(step, given)
            _tell(interp, step, [cut for cut in known if _follows(cut.graph_break.source, step)])

    def _cuts(self, step: Node, breaks: Iterable[GraphBreak]) -> Iterator[LoopedCut]:
        """The graph breaks that were made in a loop that makes the step as well, itself or by
        calling code that makes one."""
        for one in breaks:
            cut = self.cuts.get(id(one))
            if cut is None or one.switch is not None or one.source.walked_at:
                continue
            held = step.place is not None and cut.loop.holds(step.place)
            if held or len(_earlier(one.source, step)) == 1:
                yield cut


def _tell(interp: Interpreter, step: Node, cuts: Iterable[LoopedCut]) -> None:
    for cut in cuts:
        note(
            interp,
            Pitfall.RECURRENCE_CUT,
            cut.place,
            tensor=cut.graph_break.source.name,
            operator=step.operator,
            needed=Needed(step.place, "call"),
            assumptions=ACROSS | cut.graph_break.assumptions | step.requires,
        )


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
    return bool(_weights(step)) and bool(_earlier(source, step))


def _earlier(source: Node, step: Node) -> list[Node]:
    """The nodes that the same step has made in a graph."""
    same = (one for one in walk_order([source], None) if one.place == step.place)
    return [one for one in same if _weights(one) == _weights(step)]


def _joined_breaks(step: Node) -> list[GraphBreak]:
    """The graph breaks behind what a product by weights is given, through what joins it."""
    if step.operator not in PRODUCTS or not _weights(step):
        return []
    joining = [edge for edge in step.edges if edge.operator in JOINING]
    return [one for node in (step, *joining) for one in node.graph_breaks]


def _follows(source: Node, step: Node) -> bool:
    """Whether a graph was made by the same step, with no other weights in between."""
    stack, seen = [source], set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.place == step.place and _weights(node) == _weights(step):
            return True
        stack.extend(node.edges if not _weights(node) else ())
    return False


def _around(interp: Interpreter, place: Place | None) -> tuple[Place, Span] | None:
    """Where the innermost loop makes a cut, itself or by calling functions that do."""
    source = interp.source
    frames = interp.frames[-1 - MOST_CALLS :]
    for caller, frame in zip(frames[-2::-1], frames[:0:-1], strict=False):
        if frame.inner:
            continue
        if place is None or _loop(source, place) is not None:
            break
        called = called_at(caller, frame)
        if called is None:
            break
        source, place = caller.source, called
    loop = _loop(source, place) if place is not None else None
    if place is None or loop is None or _is_option(source, loop):
        return None
    return place, Span(place.filename, loop.lineno, loop.end_lineno or loop.lineno)


def _loop(source: Source, place: Place) -> ast.For | ast.While | None:
    """The innermost loop around a place that gets there in each iteration."""
    loops: list[ast.For | ast.While] = [*source.each(ast.For), *source.each(ast.While)]
    around = [one for one in loops if _holds(one, place)]
    inner = max(around, key=lambda one: one.lineno, default=None)
    if inner is None:
        return None
    chosen = (one for one in source.each(ast.If) if one.lineno > inner.lineno)
    return None if any(_holds(one, place) for one in chosen) else inner


def _is_option(source: Source, loop: ast.For | ast.While) -> bool:
    """Whether a loop stands on one side of an `if` on whose other side the same is computed without
    it: then the gradient was meant to be cut."""
    for choice in source.each(ast.If):
        sides = (choice.body, choice.orelse)
        for own, other in (sides, sides[::-1]):
            if loop in own and _calls(loop) & set().union(*map(_calls, other)):
                return True
    return False


def _calls(node: ast.AST) -> set[str]:
    """The methods and parts of objects that a statement calls, but for the cut itself."""
    calls = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    called = {ast.dump(one) for one in calls if isinstance(one, ast.Attribute)}
    return {one for one in called if "'torch'" not in one and "'detach'" not in one}


def _holds(node: ast.stmt, place: Place) -> bool:
    return node.lineno <= place.row <= (node.end_lineno or 0)
