"""The project has left a function behind: it calls a copy of it that another file has.

# old.py                        # new.py
def scale(x): ...               def scale(x): ...
                                def loss(x): return scale(x)
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.signals.base import Case, Signal, name_of
from autograd_lint.facts.callers import Callers, Owner
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project


def _speaks(case: Case) -> bool:
    return case.rests_on_callers and _is_superseded(case.owner, case.project)


def _is_superseded(owner: Owner, project: Project) -> bool:
    """Whether nothing speaks of a function, but of another with its name, parameters and code.

    What has a decorator, or is offered by a package, may be called by anybody.
    """
    function = owner.function
    if function is None or owner.cls is not None or function.decorator_list:
        return False
    if project.offers(function.name) or Callers(project).sites(owner):
        return False
    mentions = project.mentions(function.name) or []
    return any(_is_of_copy(one, function) for one in mentions)


def _is_of_copy(mention: Mention, function: Definition) -> bool:
    """Whether a mention is one of another function of its own file."""
    own = (node for node in mention.source.tree.body if isinstance(node, Definition))
    return isinstance(mention.node, ast.Name) and any(
        one is not function
        and one.name == function.name
        and ast.dump(one.args) == ast.dump(function.args)
        and not _steps(one).isdisjoint(_steps(function))
        for one in own
    )


def _steps(function: Definition) -> set[str]:
    """What a function does, statement by statement: copies are changed here and there."""
    plain = (ast.Return, ast.Expr)
    return {ast.dump(one) for one in function.body if not isinstance(one, plain)}


SIGNAL = Signal("copy-is-called", _speaks, Kind.CALLED_THOUGH_COPIED, about=name_of)
