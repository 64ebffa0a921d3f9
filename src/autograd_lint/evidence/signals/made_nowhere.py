"""Nothing in a program that trains other modules makes the one that would raise once it is trained.

class Generator(nn.Module):     # no file of the project makes one, and no package offers it
    def forward(self, x):
        y = self.layer(x).exp()
        y += 1
        return y

Neither is torch there to warn of what it does.
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import FaultKind
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.evidence.signals.only_used_otherwise import trains
from autograd_lint.evidence.used_code import Uses
from autograd_lint.facts.callers import Owner


def _speaks(case: Case) -> bool:
    trained = any(why.kind is Kind.RESULT_TRAINED for why in case.fault.assumptions)
    raises = trained and isinstance(case.fault.kind, FaultKind)
    if case.owner.cls is None or not (raises or case.fault.warned):
        return False
    owner = Owner(case.source, None, case.owner.cls)
    return not Uses(case.project).lead_to(owner) and trains(case.project, case.source)


SIGNAL = Signal("made-nowhere", _speaks, Kind.MADE_BY_OTHERS, about_owner=True)
