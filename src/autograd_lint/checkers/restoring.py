"""States that are loaded back or saved, and were never kept: `state_dict()` copies nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import Loop, encloses, enclosing, source_of
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import WRITTEN_TO_FILE, Pitfall
from autograd_lint.engine.tensor import Write
from autograd_lint.libraries.torch.events import StateLoaded, StatesSaved, StateTaken, StepBegun
from autograd_lint.libraries.torch.modules.states import LOADING, SAVING, STATE
from autograd_lint.places import Place
from autograd_lint.vm.frames import path
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

ANOTHER_ROUND = frozenset({Assumption(Kind.LATER_ITERATION_KEEPS_NO_STATE, weight=0)})


@dataclass(slots=True, eq=False, repr=False)
class Restoring(Checker):
    """Looks at each parameter that is loaded from a state.

    `calls` are the calls that led, last, to each place that keeps a state or steps an optimizer.
    """

    calls: dict[Place, tuple[Place, ...]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, StateTaken, cls.reached)
        to.add(cls, StepBegun, cls.reached)
        to.add(cls, StateLoaded, cls.restored)
        to.add(cls, StatesSaved, cls.saved)

    def reached(self, interp: Interpreter, event: StateTaken | StepBegun) -> None:
        """A state is kept, or a step begins."""
        self.calls[event.place] = path(interp.frames)

    def restored(self, interp: Interpreter, event: StateLoaded) -> None:
        """A parameter is loaded: does the state hold anything else than the parameter does?"""
        parameter, kept = event.parameter, event.state
        assumptions = event.assumptions
        storage = parameter.storage
        if kept.made is None or kept.made.operator != STATE or kept.storage is not storage:
            return
        writes = [write for write in storage.writes if write.event.version > kept.seen_version]
        if not writes and kept.made.place is not None:
            writes = self._of_later_rounds(interp, kept.made.place, storage.writes)
            assumptions = assumptions | ANOTHER_ROUND
        if writes:
            note(
                interp,
                Pitfall.STATE_OVERWRITTEN,
                kept.made.place,
                leaf=parameter,
                modified=writes[0].event,
                needed=Needed(interp.place(event.node), LOADING),
                assumptions=assumptions | writes[0].assumptions,
            )

    def saved(self, interp: Interpreter, event: StatesSaved) -> None:
        """A file gets states, behind a loop in which only some rounds keep one: that of the best
        epoch, as it was then?"""
        at = (*path(interp.frames), interp.place(event.node))
        for kept in event.states:
            place = kept.made.place if kept.made is not None else None
            loops = self._rows_of_some_rounds(interp, place) if place is not None else set()
            if any((one.filename, one.row) in loops for one in at):
                continue
            writes = [one for one in kept.storage.writes if self._is_in(loops, one)]
            if place is not None and writes:
                note(
                    interp,
                    Pitfall.STATE_OVERWRITTEN,
                    place,
                    tensor=kept.name,
                    detail=WRITTEN_TO_FILE,
                    modified=writes[0].event,
                    needed=Needed(interp.place(event.node), SAVING),
                    assumptions=ANOTHER_ROUND | writes[0].assumptions,
                )

    def _of_later_rounds(
        self, interp: Interpreter, place: Place, writes: Sequence[Write]
    ) -> list[Write]:
        """The writes that the next round of a loop repeats, in which only some rounds keep a
        state."""
        loops = self._rows_of_some_rounds(interp, place)
        return [write for write in writes if self._is_in(loops, write)]

    def _rows_of_some_rounds(self, interp: Interpreter, place: Place) -> set[tuple[str, int]]:
        """The rows of the loops of which only some rounds come to a place."""
        return {
            (at.filename, row)
            for at, loop in _loops_of_some_rounds(interp, self._path(place))
            for row in _rows(loop)
        }

    def _is_in(self, rows: set[tuple[str, int]], write: Write) -> bool:
        """Whether a write is made in such rows, or in what is called there."""
        return any((one.filename, one.row) in rows for one in self._path(write.event.place))

    def _path(self, place: Place | None) -> tuple[Place, ...]:
        """The calls that led to a place, the outermost first, and the place."""
        return () if place is None else (*self.calls.get(place, ()), place)


def _loops_of_some_rounds(
    interp: Interpreter, path: Sequence[Place]
) -> Iterator[tuple[Place, Loop]]:
    """The loops around a path of which only some rounds come to its end, each with the place on
    the path: a branch lies between that an unknown condition decides."""
    decided = {made.branch for made in interp.choices.path.decisions}
    loops: list[tuple[Place, Loop]] = []
    for place in path:
        if (source := source_of(interp, place)) is None:
            continue
        for block in enclosing(source, place.row):
            if isinstance(block, Loop):
                loops.append((place, block))
            elif source.place(block) in decided and not _is_last(block, place.row):
                yield from loops
                loops = []


def _rows(loop: Loop) -> range:
    return range(loop.body[0].lineno, (loop.body[-1].end_lineno or 0) + 1)


def _is_last(branch: ast.If, row: int) -> bool:
    """Whether the round that takes a branch is the last one: it ends the loop, or a period."""
    return _leaves(branch, row) or _ends_period(branch.test)


def _ends_period(test: ast.expr) -> bool:
    """Whether a condition holds in the last of every so many rounds: loops end with such a one.

    That is `n % 10 == 9`, and `(n + 1) % 10 == 0`.
    """
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    return any(isinstance(part, ast.Compare) and _is_last_remainder(part) for part in parts)


def _is_last_remainder(node: ast.Compare) -> bool:
    remainder, other = node.left, node.comparators[0]
    if not isinstance(remainder, ast.BinOp) or not isinstance(remainder.op, ast.Mod):
        return False
    if not isinstance(node.ops[0], ast.Eq) or not isinstance(other, ast.Constant):
        return False
    every, counted = remainder.right, isinstance(remainder.left, ast.BinOp)
    if counted or not isinstance(every, ast.Constant):
        return counted and other.value == 0
    return isinstance(every.value, int) and other.value == every.value - 1


def _leaves(branch: ast.If, row: int) -> bool:
    """Whether the side of a branch with a row ends the loop: there is no later iteration then."""
    side = branch.body if encloses(branch, row) else branch.orelse
    return any(isinstance(part, (ast.Break, ast.Return)) for one in side for part in ast.walk(one))
