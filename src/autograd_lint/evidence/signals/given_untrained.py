"""An object is given what must require grad by methods that are only called for data.

class Scaler:
    def load(self, x):      # called by a data set
        self.x = x
    def apply(self):
        return self.x.exp().mul_(2)
"""

from __future__ import annotations

from autograd_lint.evidence.assumption_origin import constructor_methods
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.callers import Callers, Use


def _speaks(case: Case) -> bool:
    if not case.needs_given:
        return False
    uses = {Callers(case.project).use(one) for one in constructor_methods(case.fault, case.owner)}
    return uses == {Use.UNTRAINED}


SIGNAL = Signal("given-untrained", _speaks, data=True)
