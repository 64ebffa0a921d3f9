"""Torch warns only where an option is on that is off by default, and that the project never sets.

class Block(nn.Module):
    def __init__(self, with_cp=False): ...
    def forward(self, x):
        if self.with_cp:                        # nothing says `with_cp=True`
            return checkpoint(self.layer, x)
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.evidence.default_conditions import off_by_default
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.callers import Callers, Owner, is_test, outermost_name
from autograd_lint.project.code import code_of
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source


def _speaks(case: Case) -> bool:
    if not case.fault.warned or not _is_for_itself(case.owner, case.project):
        return False
    return any(_is_never_on(why, case) for why in case.fault.assumptions)


def _is_for_itself(owner: Owner, project: Project) -> bool:
    """Whether a project uses a function or class, and no package offers it to others."""
    outermost = Owner(owner.source, None if owner.cls is not None else owner.function, owner.cls)
    used = Callers(project, made=owner.cls is not None).sites(outermost)
    return bool(used) and not project.offers(outermost_name(owner))


def _is_never_on(why: Assumption, case: Case) -> bool:
    names = {name for _, name in off_by_default(why, case.source)}
    return bool(names) and not any(_is_set(name, case) for name in names)


def _is_set(name: str, case: Case) -> bool:
    """Whether a file of the project, tests aside, gives an option anything but what is off, or an
    option of the same name; a text of that name is one of a command line or a configuration."""
    sources = [one for one in case.project.speaking(name) if not is_test(one)]
    return any(_is_given(name, one) or _is_told(name, one) for one in sources)


def _is_given(name: str, source: Source) -> bool:
    values = (one.value for one in source.each(ast.keyword) if one.arg == name)
    return not all(_is_off(value) or _last_name(value) == name for value in values)


def _is_told(name: str, source: Source) -> bool:
    texts = (one.value for one in source.each(ast.Constant) if isinstance(one.value, str))
    return any(text.lstrip("-").replace("-", "_") == name for text in texts)


def _is_off(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not value.value


def _last_name(value: ast.expr) -> str:
    return code_of(value).rpartition(".")[2] if isinstance(value, (ast.Name, ast.Attribute)) else ""


SIGNAL = Signal("warned-on-option", _speaks, Kind.SWITCHED_ON_BY_NOBODY, about_owner=True)
