"""Nothing in a program that trains other modules makes the one that would raise once it is trained.

class Generator(nn.Module):     # no file of the project makes one, and no package offers it
    def forward(self, x):
        y = self.layer(x).exp()
        y += 1
        return y
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import FaultKind
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.evidence.signals.only_used_otherwise import trains
from autograd_lint.facts.callers import Callers, Owner


def _speaks(case: Case) -> bool:
    cls, project = case.owner.cls, case.project
    trained = any(why.kind is Kind.RESULT_TRAINED for why in case.fault.assumptions)
    if cls is None or not trained or not isinstance(case.fault.kind, FaultKind):
        return False
    if project.offers(cls.name) or len(project.speaking(cls.name)) > 1:
        return False
    made = Callers(project, made=True).sites(Owner(case.source, None, cls))
    return made == [] and trains(project, case.source)


SIGNAL = Signal("made-nowhere", _speaks, Kind.MADE_BY_OTHERS, about_owner=True)
