"""A custom Function keeps an input on its context, not a result: nothing is kept alive longer.

def forward(ctx, x, scale):
    ctx.scale = scale       # told: only writes to it before backward go unnoticed
    return x * scale
"""

from __future__ import annotations

from autograd_lint.engine.pitfalls import INPUT, Pitfall
from autograd_lint.evidence.probability import INPUT_ON_CONTEXT
from autograd_lint.evidence.signals.base import Case, Signal


def _speaks(case: Case) -> bool:
    return case.fault.kind is Pitfall.KEPT_ON_CONTEXT and case.fault.detail == INPUT


SIGNAL = Signal(INPUT_ON_CONTEXT, _speaks)
