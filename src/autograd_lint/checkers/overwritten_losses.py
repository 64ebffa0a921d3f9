"""Losses that a loop computes in each iteration and loses: backward only has that of the last one.

for x, y in loader:
    loss = criterion(model(x), y)
loss.backward()                     # one level too far out
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import Loop
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.walk import reached
from autograd_lint.immutable import immutable
from autograd_lint.places import Place
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import GivenToUnknownCode, TensorRebound
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

STEPS = 3  # operators between what the loop has computed and what backward begins at


@immutable
class Overwritten:
    """The graph of a value whose name the next iteration of a loop has bound to another one, and
    those of the values that the same statement has bound it to since, each with the number of
    backwards before that: by one of these the iteration itself has trained."""

    node: Node
    loop: Place
    later: list[tuple[Node, int]] = field(default_factory=list)


@dataclass(slots=True, eq=False, repr=False)
class OverwrittenLosses(Checker):
    """The graphs that were overwritten, and those that unknown code was given: it may differentiate
    them."""

    lost: list[Overwritten] = field(default_factory=list)
    bound: dict[ast.Name, list[Overwritten]] = field(default_factory=dict)
    given: list[Node] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, TensorRebound, cls.rebound)
        to.add(cls, GivenToUnknownCode, cls.given_to_unknown_code)

    def rebound(self, interp: Interpreter, event: TensorRebound) -> None:
        """A name that means the result of a statement is about to mean a later one of it."""
        old, new = event.before.node, event.value.node
        if old is None or new is None or old is new or old.opaque or old.place != new.place:
            return
        loop = interp.query(interp.frame.source, _loops).get(event.target)
        if loop is not None:
            before = len(interp.engine.backward.passes)
            self._lose(event.target, Overwritten(old, interp.place(loop)), (new, before))

    def _lose(self, target: ast.Name, lost: Overwritten, new: tuple[Node, int]) -> None:
        self.lost.append(lost)
        bound = self.bound.setdefault(target, [])
        bound.append(lost)
        for one in bound:
            one.later.append(new)

    def given_to_unknown_code(self, interp: Interpreter, event: GivenToUnknownCode) -> None:
        """Code that is not seen is called with something."""
        for value in (*event.call.args, *event.call.keywords.values()):
            self.given.extend(one.node for one in tensors_in(value) if one.node is not None)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which backward has but the last of what a loop has computed?"""
        lost = [one for one in self.lost if not one.node.walked_at]
        if not lost or interp.record.gave_up:
            return
        given = reached(self.given)
        for one in lost:
            if id(one.node) not in given:
                self._judge(interp, one)

    def _judge(self, interp: Interpreter, one: Overwritten) -> None:
        """Does the backward behind the loop train what the lost graph would have trained, too?"""
        found = _next_pass(interp, one)
        if found is None:
            return
        walk, last = found
        place = walk.call.place
        if place is None or _is_within(place, one.loop):
            return
        walked = _behind(walk)
        graph = reached([one.node])
        wanted = _sources(graph.values())
        goes_on = not _steps(reached([last])) <= _steps(graph)
        if goes_on or not walked.isdisjoint(graph):
            return
        if wanted and wanted <= _sources(walk.order):
            note(
                interp,
                Pitfall.LAST_ITERATION_ONLY,
                place,
                tensor=last.name,
                built=last.created,
            )


def _behind(walk: Pass) -> set[int]:
    """What a backward goes through, and what its values were computed from before they were cut
    off: later iterations go on with that, and lose nothing."""
    found: dict[int, Node] = {}
    starts = list(walk.starts)
    while starts:
        new = [node for key, node in reached(starts).items() if key not in found]
        found.update((id(node), node) for node in new)
        starts = [one.source for node in new for one in node.graph_breaks]
    return {key for key, node in found.items() if node.leaf is None}


def _next_pass(interp: Interpreter, lost: Overwritten) -> tuple[Pass, Node] | None:
    """The first backward that begins near a value that the name was bound to before, later than to
    the lost one, and that value."""
    later = {id(node): before for node, before in lost.later}
    for number, walk in enumerate(interp.engine.backward.passes):
        for node in _near(walk) if walk.call.accumulate else ():
            if later.get(id(node), number + 1) <= number:
                return walk, node
    return None


def _near(walk: Pass) -> Iterator[Node]:
    """What backward begins at, and what that was computed from in a few steps."""
    level = list(walk.starts)
    for _ in range(STEPS):
        yield from level
        level = [edge for node in level for edge in node.edges]


def _sources(nodes: Collection[Node]) -> set[object]:
    """What a graph would train: its leaves, and the calls of unknown modules."""
    opaque: set[object] = {(node.operator, node.place) for node in nodes if node.opaque}
    return opaque | {id(node.leaf) for node in nodes if node.leaf is not None}


def _steps(graph: Mapping[int, Node]) -> set[tuple[str, Place | None]]:
    """The operators of a graph, and where they stand: of a value that is computed from the state
    that an earlier iteration has left, there are more of them than of that one."""
    return {(node.operator, node.place) for node in graph.values() if node.leaf is None}


def _is_within(place: Place, loop: Place) -> bool:
    return place.filename != loop.filename or loop.row <= place.row <= loop.end_row


@query
def _loops(source: Source) -> dict[ast.Name, Loop]:
    """The innermost loop around each name that is bound; none where it may end early, or keeps some
    of the values under another name: it may be a search for the last or the largest one."""
    found: dict[ast.Name, Loop] = {}
    loops: list[Loop] = [*source.each(ast.For), *source.each(ast.While)]
    for loop in sorted(loops, key=lambda one: one.lineno):
        parts = list(ast.walk(loop))
        ends_early = any(isinstance(part, ast.Break) for part in parts)
        chosen = {name for part in parts if isinstance(part, ast.If) for name in _kept_by(part)}
        for part in parts:
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                found.pop(part, None)
                if not ends_early and part.id not in chosen:
                    found[part] = loop
    return found


def _kept_by(condition: ast.If) -> Iterator[str]:
    """The names whose values get another one on a condition, and these others."""
    for part in ast.walk(condition):
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Name):
            names = (part.value, *part.targets)
            yield from (one.id for one in names if isinstance(one, ast.Name))
