"""Callers who are not seen must have both gradients and a certain configuration.

That is two conditions, or one that is off unless they ask for it along with their tensor.

    def scaled(x, limit, low):
        y = x.exp()
        if low.wanted:
            if limit.value is not None:
                y *= 2
        return y
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.assumption_origin import needs_given_tensor
from autograd_lint.evidence.default_conditions import is_left_out
from autograd_lint.evidence.signals.base import Case, Signal


def _speaks(case: Case) -> bool:
    called = any(why.called for why in case.fault.assumptions)
    if not case.rests_on_given or not called:
        return False
    decided = [why for why in case.fault.assumptions if why.condition is not None]
    return len(decided) > 1 or (
        needs_given_tensor(case.fault)
        and any(is_left_out(why, case.source, case.project) for why in decided)
    )


SIGNAL = Signal("rare-configuration", _speaks, Kind.CONDITIONS_TOGETHER)
