"""Functions from whose result a caller of the project runs backward.

Such a call would raise if nothing in the result required grad. Where a function has no other source
of a graph than what it is given, that requires grad.
"""

from __future__ import annotations

import ast
import re

from autograd_lint.facts.body import body, parameters_of
from autograd_lint.facts.callers import Callers, Owner, call_of, owner_of
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.facts.effects import Effects, effects, effects_in
from autograd_lint.project.code import root_of
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_DEEP = 3  # callers between a function and the backward
_MAKES_GRAPHS = re.compile(r"requires_grad|Parameter\(|\bnn\.(?!\w*Loss\b)[A-Z]")


def is_differentiated_by_callers(owner: Owner, project: Project, depth: int = 0) -> bool:
    """Whether a caller runs backward from the very result of a function of arguments alone."""
    function = owner.function
    if function is None or owner.cls is not None or depth == _DEEP:
        return False
    if not depth and not function_of_arguments(owner.source, function):
        return False
    sites = Callers(project).sites(owner) or ()
    return any(_is_walked(site, project, depth) for site in sites)


@query
def function_of_arguments(source: Source, function: Definition) -> bool:
    """Whether a function makes no graph of its own, and calls nothing that it is given."""
    given = frozenset(parameters_of(function))
    called = {root_of(call.node.func) for call in body(function).calls if _is_plain(call.node.func)}
    return given.isdisjoint(called) and not _MAKES_GRAPHS.search(source.segment(function))


def _is_plain(function: ast.expr) -> bool:
    return isinstance(function, ast.Name)


def _is_walked(site: Mention, project: Project, depth: int) -> bool:
    """Whether backward begins at what a call gives, there or in a caller of that function."""
    call, caller = call_of(site), owner_of(site)
    around = site.around[-2] if len(site.around) > 1 else None
    if call is None:
        return False
    if isinstance(around, ast.Return) and caller is not None:
        return is_differentiated_by_callers(caller, project, depth + 1)
    names = _bound(around) if isinstance(around, ast.Assign) else frozenset()
    return any(names & root for root in _effects_around(site, caller).roots)


def _effects_around(site: Mention, caller: Owner | None) -> Effects:
    """What the function does in which something stands, or the module outside of functions."""
    if caller is None:
        return effects(site.source.tree)
    return effects_in(site.source, caller.function) if caller.function is not None else Effects()


def _bound(assigned: ast.Assign) -> frozenset[str]:
    """The name of a result, or of the first of several."""
    target = assigned.targets[0]
    if isinstance(target, (ast.Tuple, ast.List)) and target.elts:
        target = target.elts[0]
    return frozenset({target.id} if isinstance(target, ast.Name) else ())
