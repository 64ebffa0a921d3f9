"""An optimizer steps, and nothing in the file that makes the losses, or steps, runs a backward.

for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    optimizer.step()
"""

from __future__ import annotations

from autograd_lint.engine.pitfalls import NO_BACKWARD, Pitfall
from autograd_lint.evidence.probability import RUNS_NO_BACKWARD
from autograd_lint.evidence.signals.base import Case, Signal


def _speaks(case: Case) -> bool:
    return (case.fault.kind, case.fault.detail) == (Pitfall.NO_GRADIENTS, NO_BACKWARD)


SIGNAL = Signal(RUNS_NO_BACKWARD, _speaks)
