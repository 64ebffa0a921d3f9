"""A state that an object keeps from step to step is begun anew by whoever trains it.

for x in loader:
    net.state = None        # in another file
    net(x).sum().backward()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.evidence.assumption_origin import given_parts
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.body import body
from autograd_lint.facts.callers import Callers, Owner, owner_at
from autograd_lint.facts.effects import is_backward
from autograd_lint.project.code import code_of
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

LOOPS = (ast.For, ast.While)


def _speaks(case: Case) -> bool:
    """Whether a graph is needed again by way of an attribute that is begun anew in each step.

    Whoever trains does so with what is left to him, or with all of an object that nothing in the
    project makes; the object itself does where a graph has not reached its own assignment, or was
    built by a function of another file that more than one place calls.
    """
    fault, owner, project = case.fault, case.owner, case.project
    if fault.kind is not FaultKind.GRAPH_FREED or owner.cls is None or owner.function is None:
        return False
    if _is_built_again(fault, owner.source, project):
        return True
    given = {code_of(part) for part in given_parts(fault) if part is not None}
    if not given.isdisjoint(_set(owner.cls)):
        return True
    left = _kept(owner.function, case.row)
    made = Callers(project, made=True).sites(Owner(owner.source, None, owner.cls))
    if made != []:
        left -= _begun(owner.cls)
    return any(_is_set_in_each_step(name, project) for name in left)


def _is_built_again(fault: Fault, source: Source, project: Project) -> bool:
    """Whether a graph was built in another file, by a function that is called at several places."""
    place = fault.built.place if fault.built is not None else None
    if place is None or place.filename == source.filename:
        return False
    built_in = project.file(place.filename)
    builder = owner_at(built_in, place.row) if built_in is not None else None
    if builder is None or builder.function is None:
        return False
    sites = Callers(project).sites(builder)
    return sites is None or len(sites) > 1


@query
def _set(cls: ast.AST) -> frozenset[str]:
    """The attributes of its object that the code of a class sets."""
    nodes = [node for node in ast.walk(cls) if isinstance(node, ast.Attribute)]
    return frozenset(
        code_of(node) for node in nodes if isinstance(node.ctx, ast.Store) and _is_own(node)
    )


@query
def _begun(cls: ast.AST) -> frozenset[str]:
    """The attributes to which the constructor of a class gives more than None."""
    made = [node for node in ast.walk(cls) if getattr(node, "name", "") == "__init__"]
    assigned = [node for one in made for node in ast.walk(one) if isinstance(node, ast.Assign)]
    targets = [part for node in assigned if not _is_none(node.value) for part in _targets(node)]
    return frozenset(part.attr for part in targets if isinstance(part, ast.Attribute))


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _kept(function: ast.AST, row: int) -> set[str]:
    """The attributes of its object in which a function keeps what a row computes."""
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    here = [node for node in assigned if node.lineno <= row <= (node.end_lineno or row)]
    names = {part.id for node in here for part in _targets(node) if isinstance(part, ast.Name)}
    handed_on = [node for node in assigned if _reads(node.value, names)]
    targets = [part for node in (*here, *handed_on) for part in _targets(node)]
    return {part.attr for part in targets if isinstance(part, ast.Attribute) and _is_own(part)}


def _targets(node: ast.Assign) -> Iterator[ast.AST]:
    for target in node.targets:
        for part in ast.walk(target):
            if isinstance(getattr(part, "ctx", None), ast.Store):
                yield part


def _reads(value: ast.expr, names: set[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(value))


def _is_own(part: ast.Attribute) -> bool:
    return isinstance(part.value, ast.Name) and part.value.id == "self"


def _is_set_in_each_step(name: str, project: Project) -> bool:
    """Whether whoever trains sets an attribute of this name of another object in each step."""
    loops = [_innermost(mention) for mention in project.mentions(name) or () if _sets(mention)]
    training = [loop for loop in loops if loop is not None and _backwards(loop)]
    return bool(training) and all(map(_is_step, training))


def _sets(mention: Mention) -> bool:
    node = mention.node
    stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    return stored and isinstance(node, ast.Attribute) and not _is_own(node)


def _innermost(mention: Mention) -> ast.AST | None:
    return next((one for one in reversed(mention.around) if isinstance(one, LOOPS)), None)


def _is_step(loop: ast.AST) -> bool:
    """Whether a loop runs backward itself, and not only one inside of it."""
    inner = [part for part in ast.walk(loop) if isinstance(part, LOOPS) and part is not loop]
    inside = {call for part in inner for call in _backwards(part)}
    return not inside.issuperset(_backwards(loop))


def _backwards(loop: ast.AST) -> list[ast.Call]:
    return [call.node for call in body(loop).calls if is_backward(call)]


SIGNAL = Signal("state-begun-anew", _speaks, Kind.NOT_RENEWED)
