"""Sides of conditions that no run has taken, sought where a statement was not reached.

The usual runs leave out what stands behind several conditions: an option that only hands another
one on, a loop that ends in its first round, a condition in an imported file. As long as a function
that was run has statements on which a fault may arise and which no run has reached, decisions are
turned one by one: those around such a statement first, then the options with which objects were
made, then what was decided before the statement in its own function, where the way to it may hang
on that. What a run decides that came farther is turned in its turn.

So is a condition that decides what a name is bound to which a statement behind writes in place:
each of its sides is to lead there once.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace

from autograd_lint.facts.decided_ways import asked_on_way, changed_by
from autograd_lint.facts.deciding_branches import Branch, deciding_branches
from autograd_lint.facts.goal_statements import asked_before, goal_statements, returned_goals
from autograd_lint.facts.relevance import words
from autograd_lint.immutable import immutable
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.paths import Decision, Path
from autograd_lint.vm.values import Definition

RUNS = 6  # of one definition
DECISIONS = 100  # of one run that may be turned

Rank = int
Side = tuple[Place | None, bool]  # of the `if` there


@immutable
class Goal:
    """A statement that no run has reached: its row, and its function.

    `asked` are the words of the conditions before it; None where no run has entered the function.
    """

    filename: str
    row: int
    function: Definition
    asked: frozenset[str] | None


@immutable
class Turn:
    """A decision of a run, to be taken the other way; each time it is asked again, where it is the
    decision of a `branch`."""

    run: Interpreter
    position: int
    branch: Branch | None = None

    @property
    def decision(self) -> Decision:
        return self.run.choices.path.decisions[self.position]

    def path(self) -> Path:
        """The path on which it is turned, and all before it as in its run."""
        path = self.run.choices.path
        taken = path.taken[: self.position]
        turned = (*path.turned, self.position)
        prefix = (*taken, not self.decision.taken)
        sides = dict(path.wanted_sides)
        if self.branch is not None:
            sides[self.branch] = not self.decision.holds
        return Path(decision_prefix=prefix, turned=turned, wanted_sides=sides)


@dataclass
class Search:
    """Turns decisions while there are goals; `run` takes a path, `goes_on` says whether to,
    `is_told` whether what is found in a file is told there: else it is not sought."""

    run: Callable[[Path], Interpreter]
    goes_on: Callable[[], bool]
    is_told: Callable[[Source], bool]
    _tried: set[tuple[Place, str, bool]] = field(default_factory=set)
    _waiting: list[Turn] = field(default_factory=list)
    _ran: set[ast.stmt] = field(default_factory=set)
    _entered: set[ast.AST] = field(default_factory=set)
    _homes: dict[Definition, Source] = field(default_factory=dict)
    _files: dict[str, Source] = field(default_factory=dict)
    _words: dict[Place, frozenset[str]] = field(default_factory=dict)
    _led: dict[tuple[int, Definition, int], bool] = field(default_factory=dict)
    _written: set[tuple[Branch, ast.stmt, bool]] = field(default_factory=set)

    def runs(self, begun: Sequence[Interpreter]) -> Iterator[Interpreter]:
        """The runs on paths that lead where those that were `begun` with have not reached."""
        first = begun[0]
        for run in begun:
            self._note(run)
        for other in begun[1:]:
            position = len(other.choices.path.decision_prefix) - 1
            if position >= 0 and position < len(first.choices.path.decisions):
                self._tried.add(_key(first.choices.path.decisions[position]))
        self._waiting += _turns(first, 0)
        for _ in range(RUNS):
            turn = self._next() if self.goes_on() else None
            if turn is None:
                return
            run = self.run(turn.path())
            self._note(run)
            self._waiting += _turns(run, turn.position + 1)
            yield run

    def _next(self) -> Turn | None:
        """The most promising decision to turn."""
        self._waiting = [turn for turn in self._waiting if _key(turn.decision) not in self._tried]
        goals = self._goals() if self._waiting else []
        sides = self._sides() if self._waiting else {}
        if not (goals or sides):
            return None
        ranked = [
            (rank, turn)
            for turn in self._waiting
            if (rank := self._rank(turn, goals, sides)) is not None
        ]
        if not ranked:
            return None
        _, best = min(ranked, key=lambda one: one[0])
        self._tried.add(_key(best.decision))
        return replace(best, branch=sides.get(_other_side(best.decision)))

    def _note(self, run: Interpreter) -> None:
        """Take note of what a run has reached.

        What the negated path reaches is sought as well: there everything is unusual at once.
        """
        reached = run.record.reached
        if not run.choices.path.negated:
            self._ran |= reached.statements
            self._entered.update(reached.homes)
            self._written.update(_written(run))
        self._homes.update(reached.homes)
        self._files.update((source.filename, source) for source in reached.homes.values())

    def _goals(self) -> list[Goal]:
        """The statements of functions that were run which no run has reached."""
        return [
            self._goal(source, node, one.lineno)
            for node, source in self._homes.items()
            for one in self._wanted(source, node) - self._ran
        ]

    def _wanted(self, source: Source, node: Definition) -> frozenset[ast.stmt]:
        """The statements of a function that runs are to reach: where nothing is told of its file,
        those for its callers."""
        wanted = goal_statements if self.is_told(source) else returned_goals
        return wanted(source, node)

    def _sides(self) -> dict[Side, Branch]:
        """The sides of conditions that decide what is written, and by which no run has come to the
        statement that writes it."""
        return {
            (source.place(branch), side): branch
            for node, source in self._homes.items()
            if self.is_told(source)
            for branch, statement in deciding_branches(source, node)
            for side in (True, False)
            if (branch, statement, not side) in self._written
            and (branch, statement, side) not in self._written
        }

    def _goal(self, source: Source, node: Definition, row: int) -> Goal:
        before = (words for asked, words in asked_before(source, node) if asked <= row)
        asked = frozenset().union(*before) if node in self._entered else None
        return Goal(source.filename, row, node, asked)

    def _rank(self, turn: Turn, goals: Sequence[Goal], sides: Container[Side]) -> Rank | None:
        """How promising it is to turn a decision, the best first; None where nothing tells so."""
        decision = turn.decision
        if _other_side(decision) in sides:
            return 0
        around = [branch for branch in (decision.branch, decision.around) if branch is not None]
        if any(_spans(branch, goal) for branch in around for goal in goals):
            return 0
        if decision.lasting and any(self._decides(decision, goal) for goal in goals):
            return 1
        asked = [place for place in (decision.place, decision.around) if place is not None]
        behind = ((place, goal) for place in asked for goal in goals if _precedes(place, goal))
        broken = turn.run.record.raised or turn.run.record.gave_up
        leads = any(broken or self._leads(place, goal) for place, goal in behind)
        return 2 if leads else None

    def _leads(self, place: Place, goal: Goal) -> bool:
        """Whether what is decided before a statement in its function may lead there."""
        key = place.row, goal.function, goal.row
        if key not in self._led:
            changed = changed_by(self._files[goal.filename], goal.function, place.row)
            asked = asked_on_way(goal.function, goal.row, place.row)
            self._led[key] = changed is None or asked is None or not changed.isdisjoint(asked)
        return self._led[key]

    def _decides(self, decision: Decision, goal: Goal) -> bool:
        """Whether how an object was made may decide a condition before a statement.

        It sets, on one of its sides, what the condition asks for.
        """
        where = decision.branch or decision.place
        source = self._files.get(where.filename)
        if source is None or goal.asked is None:
            return True
        if where not in self._words:
            self._words[where] = _words_at(source, where)
        return not goal.asked.isdisjoint(self._words[where])


def _written(run: Interpreter) -> Iterator[tuple[Branch, ast.stmt, bool]]:
    """The conditions by which a run came to statements that write what they decide, and how."""
    reached = run.record.reached
    for node, source in reached.homes.items():
        for branch, statement in deciding_branches(source, node):
            if statement in reached.statements:
                sides = (side for side in (True, False) if (branch, side) in reached.sides)
                yield from ((branch, statement, side) for side in sides)


def _other_side(decision: Decision) -> Side:
    """The side of a whole condition that a run has not taken by this decision."""
    return decision.branch, not decision.holds


def _key(decision: Decision) -> tuple[Place, str, bool]:
    return decision.place, decision.condition, decision.taken


def _turns(run: Interpreter, start: int) -> Iterator[Turn]:
    """The decisions of a run that may be turned: the rounds of a loop take both sides of some."""
    decisions = run.choices.path.decisions
    positions = range(start, min(len(decisions), start + DECISIONS))
    return (Turn(run, position) for position in positions if not decisions[position].in_step)


def _spans(branch: Place, goal: Goal) -> bool:
    """Whether a statement stands on one of the sides of an `if`."""
    return branch.filename == goal.filename and branch.row < goal.row <= branch.end_row


def _precedes(place: Place, goal: Goal) -> bool:
    """Whether something is decided in the function of a statement, before it."""
    before = goal.function.lineno <= place.row < goal.row
    return place.filename == goal.filename and before


def _words_at(source: Source, place: Place) -> frozenset[str]:
    """The words on the rows of a place."""
    return frozenset(words("\n".join(source.lines[place.row - 1 : place.end_row])))
