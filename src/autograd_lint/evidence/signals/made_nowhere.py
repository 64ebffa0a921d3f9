"""Nothing in a program that trains other modules makes the one that would raise once it is trained.

class Generator(nn.Module):     # no file of the project makes one, and no package offers it
    def forward(self, x):
        y = self.layer(x).exp()
        y += 1
        return y

Neither is torch there to warn of what it does.
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import FaultKind
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.evidence.signals.only_used_otherwise import trains
from autograd_lint.facts.callers import Callers, Owner, is_registered
from autograd_lint.project.source import Source


def _speaks(case: Case) -> bool:
    cls, project = case.owner.cls, case.project
    trained = any(why.kind is Kind.RESULT_TRAINED for why in case.fault.assumptions)
    raises = trained and isinstance(case.fault.kind, FaultKind)
    if cls is None or not (raises or case.fault.warned):
        return False
    owner = Owner(case.source, None, cls)
    if is_registered(owner):
        return False
    speaking = [one for one in project.speaking(cls.name) if not _has_its_own(one, cls.name)]
    if project.offers(cls.name) or speaking:
        return False
    made = Callers(project, made=True).sites(owner)
    return made == [] and trains(project, case.source)


def _has_its_own(source: Source, name: str) -> bool:
    """Whether a file defines a class of a name, and speaks of that."""
    return any(one.name == name for one in source.each(ast.ClassDef))


SIGNAL = Signal("made-nowhere", _speaks, Kind.MADE_BY_OTHERS, about_owner=True)
