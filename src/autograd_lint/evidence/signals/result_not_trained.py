"""All that call a function whose result is supposed to be part of a loss do something else with it.

def search(scores):             # called to look for the best labels, and by nothing that trains
    scores = scores.log_softmax(-1)
    scores += bias
    return scores
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import FaultKind
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.callers import Callers, Use


def _speaks(case: Case) -> bool:
    """Whether there are callers, and none of them is seen to train with what it gets."""
    supposed = any(why.kind is Kind.IN_LOSS for why in case.fault.assumptions)
    if not supposed or not isinstance(case.fault.kind, FaultKind):
        return False
    callers = Callers(case.project)
    return bool(callers.sites(case.owner)) and callers.use(case.owner) is not Use.TRAINED


SIGNAL = Signal("result-not-trained", _speaks, Kind.RESULT_TRAINED_ELSEWHERE, about_owner=True)
