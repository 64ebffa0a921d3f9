"""What the runs of an analysis reached: data, for whoever finds, keeps or shows it."""

from __future__ import annotations

from enum import Enum

from autograd_lint.immutable import immutable

Row = tuple[str, int]
"""A file, and a row of it."""


class Why(Enum):
    """Why no run has shown what a statement does; the values name the reasons in outputs."""

    NO_CALLER = "no-caller"
    CONDITION = "condition-never-taken"
    ENDS_BEFORE = "runs-end-before"
    UNKNOWN = "unknown-operands"
    BUDGET = "budget"


@immutable
class Missed:
    """A suspect statement that no run reached with known operands.

    `function` is the dotted name of what it stands in, `why` the value of a `Why`, `condition` the
    row of the `if` whose side was never taken, where that is why.
    """

    row: int
    end_row: int
    function: str
    why: str
    condition: int | None = None


@immutable
class Coverage:
    """How many suspect statements a file has, those that its runs missed, and the rows of other
    files that they reached."""

    suspects: int = 0
    missed: tuple[Missed, ...] = ()
    reached: tuple[Row, ...] = ()
