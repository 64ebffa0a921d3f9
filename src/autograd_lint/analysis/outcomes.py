"""What came of a run: all that is asked of it once it is over, and the same after an edit."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from typing import TypeVar

from autograd_lint.engine.events import Created, Freed, Modified, Needed, Saved
from autograd_lint.engine.faults import Fault, places
from autograd_lint.immutable import immutable
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.paths import Decision
from autograd_lint.vm.record import Lacking

E = TypeVar("E", Created, Saved, Modified, Freed, Needed)
P = TypeVar("P", Place, Place | None)


@immutable
class Outcome:
    """The faults that a run found, the decisions and statements on its way, and how it ended.

    `entered` is what was run as a program would run it: a model that was only tried out, without a
    backward, is still to be trained. `unset` says that an object lacks what is read of it on this
    path: the program does not take it. `trained` and `cut` are as in `engine.parts.Backwards`.
    """

    faults: Sequence[Fault]
    decisions: Sequence[Decision]
    decision_prefix: tuple[bool, ...]
    negated_path: bool
    reached: Set[Place | None]
    entered: Set[ast.AST]
    sides: Set[tuple[ast.AST, bool]]
    steps: int
    raised: bool
    gave_up: bool
    unset: bool = False
    trained: Set[int] = frozenset()
    cut: Mapping[Place, int] = field(default_factory=dict)
    turned: tuple[int, ...] = ()
    begun: int = 0

    @classmethod
    def of(cls, run: Interpreter, begun: int = 0) -> Outcome:
        """What came of a run that is over, which was begun after so many steps of its kind."""
        return cls(
            run.engine.faults,
            run.choices.path.decisions,
            run.choices.path.decision_prefix,
            run.choices.path.negated,
            run.engine.backward.reached,
            run.record.reached.entered - _tried(run),
            run.record.reached.sides,
            run.budget.steps,
            run.record.raised,
            run.record.gave_up,
            run.state(Lacking).found,
            run.engine.backward.trained,
            run.engine.backward.cut,
            run.choices.path.turned,
            begun,
        )

    def statements(self, rows: Rows) -> set[ast.stmt]:
        """The statements of the file in which the places stand that it speaks of."""
        told = [
            place for fault in self.faults for place in (*places(fault), fault.handed, fault.caller)
        ]
        told += [place for one in self.decisions for place in (one.place, one.branch)]
        told += [one.place for fault in self.faults for one in fault.noted]
        own = [place for place in (*told, *self.reached) if place is not None]
        return {rows.within(place)[0] for place in own if place.filename == rows.filename}

    def moved(self, rows: Rows) -> Outcome:
        """The same where the statements of the file stand now."""
        return replace(
            self,
            faults=[_moved(fault, rows) for fault in self.faults],
            decisions=[
                replace(one, place=rows.now(one.place), branch=rows.now(one.branch))
                for one in self.decisions
            ],
            reached={rows.now(place) for place in self.reached},
        )


def _tried(run: Interpreter) -> set[ast.AST]:
    """The steps of modules whose results a run that came to its end has done nothing with; what
    was only evaluated is still to be trained unless it was loaded as it had been trained."""
    trained = run.engine.backward.passes or run.opaque_backward
    if trained or run.record.ended_by_error:
        return set()
    forwards = run.record.forwards
    return forwards.trained if forwards.loaded else forwards.trained | forwards.evaluated


def _moved(fault: Fault, rows: Rows) -> Fault:
    return replace(
        fault,
        place=rows.now(fault.place),
        built=_happened(fault.built, rows),
        saved=_happened(fault.saved, rows),
        modified=_happened(fault.modified, rows),
        freed=_happened(fault.freed, rows),
        needed=_happened(fault.needed, rows),
        handed=rows.now(fault.handed),
        caller=rows.now(fault.caller),
        noted=tuple(replace(one, place=rows.now(one.place)) for one in fault.noted),
    )


def _happened(event: E | None, rows: Rows) -> E | None:
    return None if event is None else replace(event, place=rows.now(event.place))


class Rows:
    """On which rows the statements of a file, and of its classes, stood when it was analysed."""

    def __init__(self, source: Source) -> None:
        self.filename = source.filename
        self.statements = list(_statements(source.tree.body))
        self.begin = [_begin(statement) for statement in self.statements]

    def within(self, place: Place) -> tuple[ast.stmt, int]:
        """The statement that a place of the file is in, and how many rows below its first."""
        index = max(0, bisect_right(self.begin, place.row) - 1)
        return self.statements[index], place.row - self.begin[index]

    def now(self, place: P) -> P:
        """Where a place is by now."""
        if place is None or place.filename != self.filename:
            return place
        statement, below = self.within(place)
        down = _begin(statement) + below - place.row
        return replace(place, row=place.row + down, end_row=place.end_row + down) if down else place

    @property
    def moved(self) -> bool:
        """Whether any statement stands on another row by now."""
        return any(_begin(one) != row for one, row in zip(self.statements, self.begin, strict=True))


def _begin(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, ast.ClassDef):
            yield from statement.body
