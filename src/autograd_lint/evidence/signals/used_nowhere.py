"""Nothing in a program that trains uses the class or function that does something wrong.

class Hook:                     # no file of the project makes one, and no package offers it
    def __init__(self, module):
        module.register_backward_hook(self.keep)

An evaluation that builds a graph is wrong wherever it is called from, and what torch refuses under
no condition is refused to others, too.
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.evidence.used_code import Uses, steps_elsewhere
from autograd_lint.facts.callers import Owner, outermost_name
from autograd_lint.project.modules import Project


def _speaks(case: Case) -> bool:
    return is_idle(case.fault, case.owner, case.project)


def is_idle(fault: Fault, owner: Owner, project: Project) -> bool:
    """Whether a fault lies in what a project that trains never uses; not where it is refused
    whoever uses it."""
    refused = isinstance(fault.kind, FaultKind) and not (fault.warned or fault.premises)
    if refused or fault.kind is Pitfall.EVALUATION_BUILDS_GRAPHS:
        return False
    return not Uses(project).lead_to(owner) and steps_elsewhere(project, owner.source)


SIGNAL = Signal("used-nowhere", _speaks, Kind.USED_BY_OTHERS, about=outermost_name)
