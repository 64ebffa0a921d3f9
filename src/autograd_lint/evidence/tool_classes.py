"""What the objects of a class are called for, where all that the project makes of it are tools.

That are parts of modules, and what a function is handed to call it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.facts.callers import Callers, Owner, Use, call_of
from autograd_lint.facts.class_kinds import is_named_module
from autograd_lint.facts.definitions import definition_of
from autograd_lint.project.mentions import Mention, mentions_in
from autograd_lint.project.modules import Project


def use_of_objects(owner: Owner, project: Project) -> Use:
    """What the objects of a class are called for; unknown where one is anything else.

    A whole model that only a demonstration calls is there to be trained by somebody else.
    """
    assert owner.cls is not None
    if project.offers(owner.cls.name):
        return Use.UNKNOWN
    made = Callers(project, made=True).sites(Owner(owner.source, None, owner.cls)) or []
    named = [_named(site, project) for site in made]
    mentions = {id(one.node): one for found in named for one in found}
    uses = {use for one in mentions.values() for use in _uses(one, project)}
    return Use.UNTRAINED if all(named) and uses == {Use.UNTRAINED} else Use.UNKNOWN


def _uses(mention: Mention, project: Project) -> Iterator[Use]:
    """What a mention of an object tells: nothing where it is not called there."""
    if call_of(mention) is None:
        yield Use.UNKNOWN
    else:
        yield from Callers(project).judged(mention)


def _named(made: Mention, project: Project) -> list[Mention]:
    """Where an object is named that is made there; nowhere if it is neither part nor argument."""
    statement = made.around[-2] if len(made.around) > 1 else None
    if not isinstance(statement, ast.Assign) or statement.value is not call_of(made):
        return []
    target = statement.targets[0]
    if isinstance(target, ast.Attribute) and _is_in_module(made):
        mentions = project.mentions(target.attr) or ()
        return [one for one in mentions if isinstance(one.node.ctx, ast.Load)]
    if not isinstance(target, ast.Name) or len(statement.targets) > 1:
        return []
    functions = [node for node in made.around if isinstance(node, ast.FunctionDef)]
    scope = functions[-1] if functions else made.source.tree
    used = (one for one in mentions_in(made.source, target.id) if scope in one.around)
    arguments = [_as_argument(one, project) for one in used]
    return [one for found in arguments for one in found] if all(arguments) else []


def _is_in_module(made: Mention) -> bool:
    outermost = next((one for one in made.around if isinstance(one, ast.ClassDef)), None)
    return outermost is not None and is_named_module(outermost)


def _as_argument(given: Mention, project: Project) -> list[Mention]:
    """Where a function names what it is given by position; nowhere if it is no such function."""
    call = given.around[-1]
    if not isinstance(call, ast.Call) or given.node not in call.args:
        return []
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    defined = definition_of(name, given.source, project)
    if defined is None or not isinstance(defined.node, ast.FunctionDef):
        return []
    arguments = defined.node.args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    own = names[call.args.index(given.node) :][:1]
    found = (one for name in own for one in mentions_in(defined.source, name))
    return [one for one in found if defined.node in one.around]
