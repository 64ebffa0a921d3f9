"""A graph would be kept, or walked twice, that only what the code is given could have.

def update(self, rewards):
    self.total += rewards.sum()     # told: `rewards` requires grad
"""

from __future__ import annotations

from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.signals.base import Case, Signal

_ACROSS_CALLS = {FaultKind.GRAPH_FREED, Pitfall.GRAPH_KEPT}


def _speaks(case: Case) -> bool:
    return case.rests_on_given and case.fault.kind in _ACROSS_CALLS


SIGNAL = Signal("keeps-given-graph", _speaks)
