"""A condition holds only for an option that no caller in the project passes.

def scale(x, layer, exact=False):
    y = layer(x).exp()
    if exact:       # and the project has nothing but `scale(x, layer)`
        y += 1
    return y
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.default_conditions import nobody_asks
from autograd_lint.evidence.signals.base import Case, Signal, name_of


def _speaks(case: Case) -> bool:
    return any(nobody_asks(why, case.source, case.project) for why in case.fault.assumptions)


SIGNAL = Signal("option-nobody-passes", _speaks, Kind.ASKED_FOR_BY_NOBODY, about=name_of)
