"""An evaluation that no loop goes round: one result, looked at once, rather than a data set.

model.eval()
print(model(sample))
"""

from __future__ import annotations

from autograd_lint.checkers.surroundings import loops_around
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.signals.base import Case, Signal


def _speaks(case: Case) -> bool:
    evaluation = case.fault.kind is Pitfall.EVALUATION_BUILDS_GRAPHS
    return evaluation and not loops_around(case.source, case.row)


SIGNAL = Signal("evaluated-alone", _speaks)
