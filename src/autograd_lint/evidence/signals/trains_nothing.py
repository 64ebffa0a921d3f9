"""An optimizer steps again and again, and none of its steps finds a gradient: no backward runs, or
what all of its parameters compute is cut off.

for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    optimizer.step()                # told: loss.backward() is missing
"""

from __future__ import annotations

from autograd_lint.engine.pitfalls import NO_BACKWARD, NOTHING_REACHED
from autograd_lint.evidence.probability import TRAINS_NOTHING
from autograd_lint.evidence.signals.base import Case, Signal


def _speaks(case: Case) -> bool:
    return case.fault.detail in (NO_BACKWARD, NOTHING_REACHED)


SIGNAL = Signal(TRAINS_NOTHING, _speaks)
