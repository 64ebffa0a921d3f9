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

DEPTH = 3  # calls that hand an optimizer on
_TRAINS = re.compile(r"train|update|learn|optimi[sz]e|step|fit", re.IGNORECASE)
_GRADIENTS = re.compile(r"\bgrad\b")
# What is asked of an optimizer that moves nothing.
_HARMLESS = {"zero_grad", "param_groups", "state_dict", "load_state_dict", "state"}


def judge(source: Source, project: Project) -> Iterator[Fault]:
    """Loops, and functions that are named as what trains, that clear and run backward, and whose
    optimizer nothing that the file speaks of can step."""
    if is_test(source) or _GRADIENTS.search(source.text):
        return
    repeated = {id(loop.body) for loop in source.each(ast.For)}
    repeated |= {id(loop.body) for loop in source.each(ast.While)}
    functions = {id(one.body): one for one in source.each(ast.FunctionDef)}
    for block, found in trained_blocks(source):
        cleared = [one for _, one in found if one.does is Does.CLEARS and is_optimizer(one.about)]
        walks = [one for _, one in found if one.does is Does.WALKS]
        steps = any(one.does is Does.STEPS for _, one in found)
        function = functions.get(id(block))
        if steps or not (cleared and walks):
            continue
        if id(block) not in repeated and (function is None or _may_go_on(function, project)):
            continue
        others = (one for one in block if not _is_training(one))
        if any(may_walk(one, project) for one in others):
            continue
        if all(_never_steps(source, one.about, project) for one in cleared):
            yield _told(source, walks[-1], cleared[0])


def _may_go_on(function: ast.FunctionDef, project: Project) -> bool:
    """Whether who calls a function may step behind it: it is not named as what trains, or a file
    that speaks of it steps."""
    if not _TRAINS.search(function.name):
        return True
    return any(_steps(one.tree) for one in project.speaking(function.name))


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
    harmless = {id(read) for one in parts for read in _harmless_reads(one, reads, project)}
    if not _steps(source.tree):
        harmless |= {id(one.value) for one in source.each(ast.Return)}
    return reads <= harmless


def _harmless_reads(node: ast.AST, reads: set[int], project: Project) -> Iterator[ast.AST]:
    """What a part of the code reads that does not step it."""
    if isinstance(node, (ast.Attribute, ast.Assign)) and _keeps_or_asks(node):
        yield node.value
    elif isinstance(node, ast.Compare):
        yield node.left
    elif isinstance(node, ast.Call):
        given = _given(node)
        if any(id(one) in reads for one in given) and _is_harmless(node, project):
            yield from given


def _keeps_or_asks(node: ast.Attribute | ast.Assign) -> bool:
    """Whether an optimizer is asked for something that moves nothing, has an attribute set, or is
    bound under the name that it has: `self.optimizer = optimizer`."""
    if isinstance(node, ast.Attribute):
        return node.attr in _HARMLESS or not _is_read(node)
    return all(_last_name(target) == _last_name(node.value) for target in node.targets)


def _is_harmless(call: ast.Call, project: Project, depth: int = DEPTH) -> bool:
    """Whether what is called steps nothing: it makes a scheduler, or is a function of the project
    that does not step, nor hands an optimizer to what may."""
    told = spelt(call.func)
    bodies = definitions(told.rpartition(".")[2], project) if depth else []
    known = bool(bodies) and all(_moves_nothing(one, project, depth - 1) for one in bodies)
    return known or is_scheduler(told)


def _moves_nothing(body: ast.AST, project: Project, depth: int) -> bool:
    calls = [one for one in walk(body) if isinstance(one, ast.Call)]
    handed = (one for one in calls if any(is_optimizer(_last_name(part)) for part in _given(one)))
    return not _steps(body) and all(_is_harmless(one, project, depth) for one in handed)


def _steps(node: ast.AST) -> bool:
    """Whether something in a node calls `step`, but of schedulers."""
    calls = (one.func for one in walk(node) if isinstance(one, ast.Call))
    methods = (one for one in calls if isinstance(one, ast.Attribute) and one.attr == "step")
    return not all(is_scheduler(spelt(one.value)) for one in methods)


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(one.value for one in call.keywords)]


def _last_name(node: ast.AST) -> str:
    """The name of a variable, or of an attribute."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_read(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _told(source: Source, walk: Training, cleared: Training) -> Fault:
    because = Assumption(Kind.MEANT_TO_LEARN, cleared.about, weight=0)
    return Fault(
        Pitfall.NEVER_STEPPED,
        source.place(walk.call),
        operator=cleared.about,
        assumptions=frozenset({because}),
    )
