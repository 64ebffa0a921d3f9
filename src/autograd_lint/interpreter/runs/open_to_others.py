"""Functions that others than the project may call: what it offers, and what it only defines."""

from __future__ import annotations

from autograd_lint.interpreter.runs.callers import Callers, Owner, Use, call_of, owner_of
from autograd_lint.project.modules import Project

DEEP = 3  # callers of callers that are asked


def is_only_used_otherwise(owner: Owner, project: Project) -> bool:
    """Whether all that leads to a function is in the project, and trains nothing that is seen."""
    callers = Callers(project)
    return callers.use(owner) is not Use.TRAINED and not _is_open(owner, project, DEEP)


def _is_open(owner: Owner, project: Project, deep: int) -> bool:
    """Whether a function, its class or what calls it is there for somebody else.

    That is what a package offers, what nothing in the project calls, what is handed on, and what is
    called too often, or by way of too many others, to tell.
    """
    named = owner.cls.name if owner.cls is not None else owner.name
    if project.offers(owner.name) or project.offers(named):
        return True
    sites = Callers(project).sites(owner)
    if not sites or not deep or any(call_of(site) is None for site in sites):
        return True
    around = {one for site in sites if (one := owner_of(site)) is not None}
    return any(_is_open(one, project, deep - 1) for one in around if one != owner)
