"""Nothing in the project calls the function that is told of, tests aside.

def scale(x):       # no other file speaks of `scale`
    y = x.exp()
    y += 1
    return y
"""

from __future__ import annotations

from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.callers import Callers, Owner


def _speaks(case: Case) -> bool:
    owner = case.owner
    if owner.function is None or not case.rests_on_callers:
        return False
    if owner.cls is not None and owner.function.name == "forward":
        made = Callers(case.project, made=True)
        return made.sites(Owner(owner.source, None, owner.cls)) == []
    return Callers(case.project).sites(owner) == []


SIGNAL = Signal("nobody-calls", _speaks)
