"""Only an option that is off by default, and that the project never sets, leads to what raises
nothing, or is only warned of.

class Block(nn.Module):
    def __init__(self, with_cp=False): ...
    def forward(self, x):
        if self.with_cp:                        # nothing says `with_cp=True`
            return checkpoint(self.layer, x)
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.default_conditions import off_by_default
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.callers import (
    Callers,
    Owner,
    call_of,
    innermost_function,
    outermost_name,
)
from autograd_lint.facts.constant_arguments import argument_of, telling_defaults
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.project.code import code_of
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source


def _speaks(case: Case) -> bool:
    silent = case.fault.warned or isinstance(case.fault.kind, Pitfall)
    if not silent or not _is_for_itself(case.owner, case.project):
        return False
    return any(_is_never_on(why, case) for why in case.fault.assumptions)


def _is_for_itself(owner: Owner, project: Project) -> bool:
    """Whether a project uses a function or class, and no package offers it to others."""
    outermost = Owner(owner.source, None if owner.cls is not None else owner.function, owner.cls)
    used = Callers(project, made=owner.cls is not None).sites(outermost)
    return bool(used) and not project.offers(outermost_name(owner))


def _is_never_on(why: Assumption, case: Case) -> bool:
    options = off_by_default(why, case.source)
    names = {name for _, name in options}
    passed = any(_is_passed(owner, name, case.project) for owner, name in options)
    return bool(names) and not passed and not any(_is_set(name, case) for name in names)


def _is_passed(owner: Owner, name: str, project: Project) -> bool:
    """Whether a call gives an option anything but what is off, or an option of the same name."""
    assert owner.function is not None
    for site in Callers(project).sites(owner) or ():
        call, bound = call_of(site), owner.cls is not None
        if call is not None:
            value = argument_of(call, owner.function, name, bound=bound)
            if value is None or not _leaves_off(value, name, site.source):
                return True
    return False


def _is_set(name: str, case: Case) -> bool:
    """Whether a file of the project, tests aside, gives an option anything but what is off, or an
    option of the same name; a text of that name is one of a command line or a configuration."""
    sources = [one for one in case.project.speaking(name) if not is_test(one)]
    return any(_is_given(name, one) or _is_told(name, one) for one in sources)


def _is_given(name: str, source: Source) -> bool:
    values = (one.value for one in source.each(ast.keyword) if one.arg == name)
    return not all(_leaves_off(value, name, source) for value in values)


def _leaves_off(value: ast.expr, name: str, source: Source) -> bool:
    """Whether a value is off, or the option of that name that the function around or its object was
    given; one of a configuration may be set in a file that is not read."""
    if isinstance(value, ast.Constant):
        return not value.value
    if not isinstance(value, ast.Name):
        return code_of(value) == f"self.{name}"
    around = innermost_function(source, value.lineno)
    is_option = around is not None and not telling_defaults(around).get(name, True)
    return value.id == name and is_option


def _is_told(name: str, source: Source) -> bool:
    texts = (one.value for one in source.each(ast.Constant) if isinstance(one.value, str))
    return any(text.lstrip("-").replace("-", "_") == name for text in texts)


SIGNAL = Signal("switched-on-by-nobody", _speaks, Kind.SWITCHED_ON_BY_NOBODY, about_owner=True)
