"""The steps that a run may take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograd_lint.errors import Dropped

ELSEWHERE = 6_000  # steps of the runs over a file; what later ones show in other files is not told
_ROUND = 64  # steps after which it is asked whether the result is still wanted


def always() -> bool:
    """Whether the result of an analysis is wanted that nobody drops."""
    return True


class BudgetExceeded(Exception):
    """A run has used up its steps."""


@dataclass(slots=True)
class Budget:
    """How many steps (statements and calls) a run may take, and how many it has taken.

    `wanted` is asked every now and then whether anybody waits for the result. Past `patience` steps
    the modules that a module is made of are not looked into. `built` counts elements of the
    comprehension that is made and of those in it.
    """

    limit: int
    wanted: Callable[[], bool] = always
    patience: int | None = None
    steps: int = 0
    built: int = 0

    def step(self) -> None:
        """Count one step; raises BudgetExceeded past the limit, Dropped where the result is not
        wanted any more."""
        self.steps += 1
        if self.steps > self.limit:
            raise BudgetExceeded
        if not self.steps % _ROUND and not self.wanted():
            raise Dropped

    @property
    def impatient(self) -> bool:
        """Whether what a module is made of has cost enough."""
        return self.patience is not None and self.steps > self.patience
