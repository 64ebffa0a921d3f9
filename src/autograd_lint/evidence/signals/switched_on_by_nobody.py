"""Only an option that is off by default, and that the project never sets, leads to what raises
nothing, or is only warned of.

class Block(nn.Module):
    def __init__(self, with_cp=False): ...
    def forward(self, x):
        if self.with_cp:                        # nothing says `with_cp=True`
            return checkpoint(self.layer, x)
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.default_conditions import off_by_default
from autograd_lint.evidence.signals.base import Case, Signal, name_of
from autograd_lint.evidence.unset_options import are_never_on
from autograd_lint.facts.callers import Callers, Owner, outermost, outermost_name
from autograd_lint.project.modules import Project


def _speaks(case: Case) -> bool:
    silent = case.fault.warned or isinstance(case.fault.kind, Pitfall)
    if not silent or not _is_for_itself(case.owner, case.project):
        return False
    options = (off_by_default(why, case.source) for why in case.fault.assumptions)
    return any(are_never_on(one, case.project) for one in options)


def _is_for_itself(owner: Owner, project: Project) -> bool:
    """Whether a project uses a function or class, and no package offers it to others."""
    used = Callers(project, made=owner.cls is not None).sites(outermost(owner))
    return bool(used) and not project.offers(outermost_name(owner))


SIGNAL = Signal("switched-on-by-nobody", _speaks, Kind.SWITCHED_ON_BY_NOBODY, about=name_of)
