"""What the parts of modules are called for, where a class is made for parts alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.interpreter.runs.callers import Callers, Owner, Use, call_of, is_named_module
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project


def use_of_parts(owner: Owner, project: Project) -> Use:
    """What the objects of a class are called for; unknown where one is no part of a module.

    A whole model that only a demonstration calls is there to be trained by somebody else.
    """
    assert owner.cls is not None
    if project.offers(owner.cls.name):
        return Use.UNKNOWN
    made = Callers(project, made=True).sites(Owner(owner.source, None, owner.cls))
    found = {use for site in made or () for use in _uses(site, project)}
    return Use.UNTRAINED if found == {Use.UNTRAINED} else Use.UNKNOWN


def _uses(made: Mention, project: Project) -> Iterator[Use]:
    """What an object is called for by the name of the part that it is made as."""
    name = _part(made)
    mentions = project.mentions(name) if name else None
    found = [one for one in mentions or () if isinstance(one.node.ctx, ast.Load)]
    if not found:
        yield Use.UNKNOWN
    for one in found:
        if call_of(one) is None:
            yield Use.UNKNOWN
        else:
            yield from Callers(project).judged(one)


def _part(made: Mention) -> str:
    """The attribute of a module that an object is made as; empty where it is made for another."""
    statement = made.around[-2] if len(made.around) > 1 else None
    if not isinstance(statement, ast.Assign) or statement.value is not call_of(made):
        return ""
    outermost = next((one for one in made.around if isinstance(one, ast.ClassDef)), None)
    target = statement.targets[0]
    alone = len(statement.targets) == 1 and isinstance(target, ast.Attribute)
    if outermost is None or not is_named_module(outermost) or not alone:
        return ""
    return target.attr if isinstance(target, ast.Attribute) else ""
