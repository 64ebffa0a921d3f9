"""Which suspect statements the runs over a file have reached, and why they missed the others."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.known_operands import KnownOperands
from autograd_lint.coverage import Coverage, Missed, Row, Why
from autograd_lint.facts.suspect_statements import Suspect, suspect_statements
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter


@dataclass
class Seen:
    """What the runs over a file have reached, all together."""

    statements: set[ast.stmt] = field(default_factory=set)
    rows: set[Row] = field(default_factory=set)
    entered: set[ast.AST] = field(default_factory=set)
    sides: set[tuple[ast.AST, bool]] = field(default_factory=set)

    def add(self, run: Interpreter) -> None:
        """Take note of a run that is over."""
        self.statements |= run.record.reached.statements
        self.rows |= run.state(KnownOperands).rows
        self.entered |= run.record.reached.entered
        self.sides |= run.record.reached.sides

    def coverage(self, source: Source, left_out: Collection[str]) -> Coverage:
        """What of a file was missed; of the definitions `left_out` none was begun."""
        suspects = suspect_statements(source)
        others = sorted(row for row in self.rows if row[0] != source.filename)
        return Coverage(
            len(suspects), tuple(self._missed(source, suspects, left_out)), tuple(others)
        )

    def _missed(
        self, source: Source, suspects: list[Suspect], left_out: Collection[str]
    ) -> Iterator[Missed]:
        for one in suspects:
            if all((source.filename, row) not in self.rows for row in one.rows):
                why, condition = self._why(one, left_out)
                yield Missed(one.rows[0], one.rows[-1], one.name, why.value, condition)

    def _why(self, one: Suspect, left_out: Collection[str]) -> tuple[Why, int | None]:
        if one.statement in self.statements:
            return Why.UNKNOWN, None
        if one.function is not None and one.function not in self.entered:
            outermost = one.name.partition(".")[0]
            return (Why.BUDGET if outermost in left_out else Why.NO_CALLER), None
        for branch in one.branches:
            if (branch, _side(branch, one.statement)) not in self.sides:
                return Why.CONDITION, branch.lineno
        return Why.ENDS_BEFORE, None


def _side(branch: ast.If, statement: ast.stmt) -> bool:
    """On which side of an `if` a statement stands."""
    last = branch.body[-1]
    return statement.lineno <= (last.end_lineno or last.lineno)
