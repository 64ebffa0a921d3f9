"""What is assumed of the callers is true of none in the project.

def evaluate(net, x):       # the only caller of `scale`
    with torch.no_grad():
        return scale(net(x))

What an evaluation does wrong is called where nothing is trained: there it matters whether grad mode
is off.
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import EVALUATED, Pitfall
from autograd_lint.evidence.signals.base import Case, Signal, name_of
from autograd_lint.evidence.tool_classes import use_of_objects
from autograd_lint.facts.callers import Callers, Use


def _speaks(case: Case) -> bool:
    function = case.owner.function
    if function is None or not case.rests_on_callers:
        return False
    if case.fault.kind is Pitfall.EVALUATION_BUILDS_GRAPHS or case.fault.detail == EVALUATED:
        return Callers(case.project).only_indirect(case.owner)
    if case.owner.cls is not None and function.name == "forward":
        return use_of_objects(case.owner, case.project) is Use.UNTRAINED
    return Callers(case.project).use(case.owner) is Use.UNTRAINED


SIGNAL = Signal("called-untrained", _speaks, Kind.CALLED_OTHERWISE, about=name_of)
