"""All that leads to a function is in the project, and trains nothing that is seen.

def draw(net, x):
    plot(smoothed(net(x)))      # nothing else calls `smoothed`, and no package offers it
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.assumption_origin import needs_given_tensor
from autograd_lint.evidence.signals.base import Case, Signal, name_of
from autograd_lint.facts.callers import (
    Callers,
    Owner,
    Use,
    call_of,
    owner_of,
)
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.project.modules import Project

_MOST = 40  # callers of callers that are asked
_TRAINERS = ("Trainer", "Runner")  # as frameworks name what trains


def _speaks(case: Case) -> bool:
    """Whether a backward is missed that only others could run."""
    fault = case.fault
    penalty = fault.kind is Pitfall.PENALTY_WITHOUT_GRAPH
    lost = penalty or (fault.kind is FaultKind.SAVED_TENSOR_MODIFIED and fault.place is None)
    if not lost or not case.rests_on_callers:
        return False
    given = needs_given_tensor(fault)
    called = given and any(why.called for why in fault.assumptions)
    return _is_internal_and_never_trained(case.owner, case.project, given=given, called=called)


def _is_internal_and_never_trained(
    owner: Owner, project: Project, *, given: bool, called: bool
) -> bool:
    """Whether all that leads to a function is in the project, and trains nothing that is seen.

    `given` says that gradients must come from the callers as well: then it is not enough that
    nothing in the project calls the callers, for they would have to be called in one way. `called`
    says that they must make a loss of the result, too: where a project trains something itself,
    it would call what is there for that.
    """
    if Callers(project).use(owner) is Use.TRAINED:
        return False
    idle = called and not Callers(project).sites(owner) and _trains(project)
    if _is_loose(owner, project) and not idle:
        return False
    asked, waiting = [owner], [owner]
    while waiting:
        one = waiting.pop()
        sites = Callers(project).sites(one)
        if sites is None or _is_offered(one, project) or len(asked) > _MOST:
            return False
        if not given and _is_loose(one, project):
            return False
        around = {found for site in sites if (found := owner_of(site)) is not None}
        new = [found for found in around if found not in asked]
        asked += new
        waiting += new
    return True


def _trains(project: Project) -> bool:
    """Whether some code of a project, tests aside, runs backward, or has a framework do so."""
    return any(_is_run(name, project) for name in ("backward", *_TRAINERS))


def _is_run(name: str, project: Project) -> bool:
    """Whether something of that name is called, or one of its methods is."""
    mentions = project.mentions(name)
    return mentions is None or any(
        (call_of(one) is not None or isinstance(one.around[-1], ast.Attribute))
        and not is_test(one.source)
        for one in mentions
    )


def _is_loose(owner: Owner, project: Project) -> bool:
    """Whether nothing in the project calls a function, or something hands it on."""
    sites = Callers(project).sites(owner)
    return not sites or any(call_of(site) is None for site in sites)


def _is_offered(owner: Owner, project: Project) -> bool:
    """Whether a package offers a function or its class to all who import it."""
    named = owner.cls.name if owner.cls is not None else owner.name
    return project.offers(owner.name) or project.offers(named)


SIGNAL = Signal("only-used-otherwise", _speaks, Kind.CALLED_WHERE_TRAINED, about=name_of)
