"""Options that are off by default and that nothing in a project sets.

A text with the name of an option is one of a command line or a configuration, which may set it; so
may a file of settings, or a script of a shell.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from autograd_lint.evidence.default_conditions import Option
from autograd_lint.facts.callers import Callers, Owner, call_of, innermost_function
from autograd_lint.facts.constant_arguments import argument_of, telling_defaults
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.settings import switches_on
from autograd_lint.project.code import code_of
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source


def are_never_on(options: Collection[Option], project: Project) -> bool:
    """Whether there are such options, and no file of the project gives one anything but what is
    off, or an option of the same name."""
    if any(_is_passed(owner, name, project) for owner, name in options):
        return False
    return bool(options) and not any(_is_set(name, project) for _, name in options)


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


def _is_set(name: str, project: Project) -> bool:
    """Whether a file of the project, tests aside, gives an option anything but what is off, or an
    option of the same name."""
    sources = [one for one in project.speaking(name) if not is_test(one)]
    if any(_is_given(name, one) or _is_told(name, one) for one in sources):
        return True
    spelt = {name, name.replace("_", "-")}
    return any(switches_on(one, data) for one in spelt for data in project.settings(one))


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
