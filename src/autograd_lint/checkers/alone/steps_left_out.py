"""A training loop whose optimizer clears gradients in each iteration, and never steps.

for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()             # for nothing: the next iteration clears it
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.checkers.alone.walking_calls import definitions, may_walk
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.training_statements import (
    Does,
    Training,
    is_optimizer,
    is_scheduler,
    trained_blocks,
)
from autograd_lint.project.code import spelt
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

_GRADIENTS = re.compile(r"\bgrad\b")
# What is asked of an optimizer that moves nothing.
_HARMLESS = {"zero_grad", "param_groups", "state_dict", "load_state_dict", "state"}


def judge(source: Source, project: Project) -> Iterator[Fault]:
    """Loops that clear and run backward, and whose optimizer nothing that the file speaks of can
    step: it is asked for nothing else, and given to nobody but to schedulers and functions of the
    project that do not step."""
    if is_test(source) or _GRADIENTS.search(source.text):
        return
    bodies = {id(loop.body) for kind in (ast.For, ast.While) for loop in source.each(kind)}
    for block, found in trained_blocks(source):
        cleared = [one for _, one in found if one.does is Does.CLEARS and is_optimizer(one.about)]
        walks = [one for _, one in found if one.does is Does.WALKS]
        steps = any(one.does is Does.STEPS for _, one in found)
        if id(block) not in bodies or steps or not (cleared and walks):
            continue
        others = (one for one in block if not _is_training(one))
        if any(may_walk(one, project) for one in others):
            continue
        if all(_never_steps(source, one.about, project) for one in cleared):
            yield _told(source, walks[-1], cleared[0])


def _is_training(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and any(
        isinstance(one, ast.Attribute) and one.attr in ("backward", "zero_grad", "step")
        for one in walk(statement)
    )


def _never_steps(source: Source, optimizer: str, project: Project) -> bool:
    """Whether nothing in a file can step an optimizer, by its last name: all that reads it is
    harmless."""
    name = optimizer.rpartition(".")[2]
    parts = list(walk(source.tree))
    reads = {id(one) for one in parts if _last_name(one) == name and _is_read(one)}
    harmless = (id(read) for one in parts for read in _harmless_reads(one, reads, project))
    return reads <= set(harmless)


def _harmless_reads(node: ast.AST, reads: set[int], project: Project) -> Iterator[ast.AST]:
    """What a part of the code reads that does not step it."""
    if isinstance(node, (ast.Attribute, ast.Assign)) and _keeps_or_asks(node):
        yield node.value
    elif isinstance(node, ast.Call):
        given = [*node.args, *(one.value for one in node.keywords)]
        if any(id(one) in reads for one in given) and _is_harmless(node, project):
            yield from given


def _last_name(node: ast.AST) -> str:
    """The name of a variable, or of an attribute."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _keeps_or_asks(node: ast.Attribute | ast.Assign) -> bool:
    """Whether an optimizer is asked for something that moves nothing, or bound under the name that
    it has: `self.optimizer = optimizer`."""
    if isinstance(node, ast.Attribute):
        return node.attr in _HARMLESS
    return all(_last_name(target) == _last_name(node.value) for target in node.targets)


def _is_read(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _is_harmless(call: ast.Call, project: Project) -> bool:
    """Whether what is called steps nothing: it makes a scheduler, or is a function of the project
    that does not step."""
    told = spelt(call.func)
    bodies = definitions(told.rpartition(".")[2], project)
    known = bool(bodies) and not any(_steps(body) for body in bodies)
    return known or is_scheduler(told)


def _steps(body: ast.AST) -> bool:
    calls = (spelt(one.func) for one in walk(body) if isinstance(one, ast.Call))
    return any(one.endswith("step") and not is_scheduler(one) for one in calls)


def _told(source: Source, walk: Training, cleared: Training) -> Fault:
    because = Assumption(Kind.MEANT_TO_LEARN, cleared.about, weight=0)
    return Fault(
        Pitfall.NEVER_STEPPED,
        source.place(walk.call),
        tensor=None,
        operator=cleared.about,
        assumptions=frozenset({because}),
    )
