"""Whether the calls that a project has of a function are reached with grad mode off, or on."""

from __future__ import annotations

import ast
from collections.abc import Callable

from autograd_lint.facts.callers import Callers, Owner, call_of, owner_of, without_grad
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project

_MOST = 20  # functions that are asked on behalf of one
_SWITCH = "set_grad_enabled("  # a statement that switches it for all that follows
_CALLED_BY_MODULES = {"forward", "training_step"}  # and not by their own names


def is_reached_without_grad(owner: Owner, project: Project) -> bool:
    """Whether a function is called, and each way to it leads through a `no_grad`.

    Not told of functions that a package offers, nor where a way begins that is not seen: at the top
    of a file, in the forward of a module, or where something hands the function on.
    """
    asked, is_off = [owner], False
    for one in asked:
        sites = None if _is_open(one, project) else Callers(project).sites(one)
        if not sites or len(asked) > _MOST:
            return False
        with_grad = [site for site in sites if not any(map(without_grad, site.around))]
        is_off = is_off or len(with_grad) < len(sites)
        callers = list(map(_caller, with_grad))
        if None in callers:
            return False
        asked += [caller for caller in dict.fromkeys(callers) if caller and caller not in asked]
    return is_off


def is_reached_with_grad(
    owner: Owner, project: Project, leads_elsewhere: Callable[[Mention, Owner], bool]
) -> bool:
    """Whether a way leads to a function from the top of a file on which nothing switches grad mode
    off.

    A function that is handed on counts as called where that is done. `leads_elsewhere` says of a
    mention of a function that what is asked for is not come to from there.
    """
    asked = [owner]
    for one in asked:
        if one.function is not None and one.function.name in _CALLED_BY_MODULES:
            continue
        for site in Callers(project).meant(one):
            if any(map(without_grad, site.around)) or _SWITCH in site.source.text:
                continue
            if leads_elsewhere(site, one):
                continue
            caller = owner_of(site)
            if caller is None and any(isinstance(node, ast.Call) for node in site.around):
                return True
            if caller is not None and caller not in asked and len(asked) < _MOST:
                asked.append(caller)
    return False


def _is_open(owner: Owner, project: Project) -> bool:
    """Whether others than those who name it may call a function."""
    name = owner.function.name if owner.function is not None else "__init__"
    if name in _CALLED_BY_MODULES or name.startswith("__"):
        return True
    return owner.cls is None and project.offers(name)


def _caller(site: Mention) -> Owner | None:
    """The function that calls what is mentioned; none where it is handed on, or called at the top
    of a file."""
    return owner_of(site) if call_of(site) is not None else None
