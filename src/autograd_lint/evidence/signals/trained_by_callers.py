"""A module of the project calls the function, or something that runs backward does.

class Net(nn.Module):
    def forward(self, x):
        return scale(self.layer(x))
"""

from __future__ import annotations

from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.callers import Callers, Owner, Use


def _speaks(case: Case) -> bool:
    owner = case.owner
    if owner.function is None or not case.rests_on_callers:
        return False
    if owner.cls is not None and owner.function.name == "forward":
        made = Callers(case.project, made=True)
        return made.use(Owner(owner.source, None, owner.cls)) is Use.TRAINED
    return Callers(case.project).use(owner) is Use.TRAINED


SIGNAL = Signal("trained-by-callers", _speaks)
