"""A training loop whose optimizer clears gradients in each iteration, and never steps.

for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()             # for nothing: the next iteration clears it
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from autograd_lint.checkers.alone.walking_calls import GRADIENTS, MODULE, definitions, walks_by
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import parameters_of
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.training_statements import (
    Block,
    Does,
    Training,
    all_training,
    is_optimizer,
    is_scheduler,
)
from autograd_lint.project.code import called_name, given_to, last_name, spelt
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

DEPTH = 3  # calls that hand an optimizer on
_TRAINS = re.compile(r"train|update|learn|optimi[sz]e|step|fit", re.IGNORECASE)
# What is asked of an optimizer that moves nothing.
_HARMLESS = {"zero_grad", "param_groups", "state_dict", "load_state_dict", "state"}


def judge(source: Source, project: Project) -> Iterator[Fault]:
    """Loops, and functions that are named as what trains, that clear and run backward, and whose
    optimizer nothing that the file speaks of can step."""
    if is_test(source) or GRADIENTS.search(source.text):
        return
    told: set[ast.Call] = set()
    for block, function in _repeated(source):
        found = list(all_training(block))
        clears = (one.about for one in found if one.does is Does.CLEARS)
        cleared = [one for one in clears if not _is_of_callers(one, function)]
        walks = [one.call for one in found if one.does is Does.WALKS]
        if not (cleared and walks) or told & {*walks}:
            continue
        if any(one.does is Does.STEPS for one in found):
            for optimizer, walk_for in _beside_others(found, source, project):
                told.add(walk_for)
                yield _told(source, walk_for, optimizer)
            continue
        if _may_step(block, project) or (function and _steps_behind(function.name, project)):
            continue
        optimizers = {*filter(is_optimizer, cleared)}
        if all(map(MODULE.search, cleared)):
            optimizers = _made(source)
        if optimizers and all(never_steps(source.tree, one, project) for one in optimizers):
            told |= {*walks}
            yield _told(source, walks[-1], min(optimizers))


def _beside_others(
    found: list[Training], source: Source, project: Project
) -> Iterator[tuple[str, ast.Call]]:
    """Optimizers that are cleared for a backward of their own, once, and never step, beside others
    that do; each with that backward."""
    clears = Counter(one.about for one in found if one.does is Does.CLEARS)
    for one, following in pairwise(found):
        name = one.about.rpartition(".")[2]
        own = one.does is Does.CLEARS and following.does is Does.WALKS and is_optimizer(name)
        if (
            own
            and clears[one.about] == 1
            and _is_made_in(source, name)
            and _is_idle(name, source, project)
        ):
            yield one.about, following.call


def _is_made_in(source: Source, name: str) -> bool:
    """Whether a file binds an optimizer to what a call makes."""
    pairs = (pair for one in source.each(ast.Assign) for pair in _bound(one))
    return any(last_name(target) == name and called_name(value) for target, value in pairs)


def _is_idle(name: str, source: Source, project: Project) -> bool:
    """Whether no file that speaks of an optimizer can step it."""
    others = (one for one in project.speaking(name) if one.filename != source.filename)
    return all(never_steps(one.tree, name, project) for one in (source, *others))


def _repeated(source: Source) -> Iterator[tuple[Block, ast.FunctionDef | None]]:
    """What is run again and again: the bodies of loops, inner ones first, and those of functions
    that are named as what trains."""
    loops: list[ast.For | ast.While] = [*source.each(ast.For), *source.each(ast.While)]
    for loop in sorted(loops, key=lambda one: one.lineno, reverse=True):
        yield loop.body, None
    for function in source.each(ast.FunctionDef):
        if _TRAINS.search(function.name):
            yield function.body, function


def _is_of_callers(optimizer: str, function: ast.FunctionDef | None) -> bool:
    """Whether an optimizer is an attribute of what a function is given: who gives it may step."""
    owner, dot, _ = optimizer.partition(".")
    given = parameters_of(function) if function is not None else []
    return bool(dot) and owner != "self" and owner in given


def _may_step(block: Block, project: Project) -> bool:
    """Whether what a block calls besides may step."""
    calls = (call for one in block for call in walk(one) if isinstance(call, ast.Call))
    others = (call for call in calls if last_name(call.func) not in ("backward", "zero_grad"))
    return any(walks_by(call, project) and not is_scheduler(spelt(call.func)) for call in others)


def _made(source: Source) -> set[str]:
    """The one optimizer that a file makes, as it is spelt, by its name; empty where it makes none,
    or several."""
    bound = (one for one in source.each(ast.Assign) if isinstance(one.value, ast.Call))
    names = {spelt(target) for one in bound for target in one.targets}
    found = {one for one in names if is_optimizer(one.rpartition(".")[2])}
    return found if len(found) == 1 else set()


def _steps_behind(name: str, project: Project) -> bool:
    """Whether who calls a function may step behind it: a file that speaks of it steps."""
    return any(_steps(one.tree) for one in project.speaking(name))


def never_steps(scope: ast.AST, optimizer: str, project: Project) -> bool:
    """Whether nothing in some code can step an optimizer, by its last name: all that reads it is
    harmless."""
    name = optimizer.rpartition(".")[2]
    parts = list(walk(scope))
    reads = {id(one) for one in parts if last_name(one) == name and _is_read(one)}
    harmless = {id(read) for one in parts for read in _harmless_reads(one, reads, project)}
    if not _steps(scope):
        harmless |= {id(one.value) for one in parts if isinstance(one, ast.Return)}
    return reads <= harmless


def _harmless_reads(node: ast.AST, reads: set[int], project: Project) -> Iterator[ast.AST]:
    """What a part of the code reads that does not step it."""
    if isinstance(node, ast.Attribute) and (node.attr in _HARMLESS or not _is_read(node)):
        yield node.value
    elif isinstance(node, ast.Assign):
        pairs = list(_bound(node))
        renamed = {id(value) for target, value in pairs if last_name(target) != last_name(value)}
        yield from (value for _, value in pairs if id(value) not in renamed)
    elif isinstance(node, ast.Compare):
        yield node.left
    elif isinstance(node, ast.Call):
        given = given_to(node)
        if any(id(one) in reads for one in given) and _is_harmless(node, project):
            yield from given


def _bound(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment, each with what it gets, as far as that is written."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        else:
            yield target, node.value


def _is_harmless(call: ast.Call, project: Project, depth: int = DEPTH) -> bool:
    """Whether what is called steps nothing: it makes a scheduler, or is a function of the project
    that does not step, nor hands an optimizer to what may."""
    told = spelt(call.func)
    bodies = definitions(told.rpartition(".")[2], project) if depth else []
    known = bool(bodies) and all(_moves_nothing(one, project, depth - 1) for one in bodies)
    return known or is_scheduler(told)


def _moves_nothing(body: ast.AST, project: Project, depth: int) -> bool:
    calls = [one for one in walk(body) if isinstance(one, ast.Call)]
    handed = (one for one in calls if any(is_optimizer(last_name(part)) for part in given_to(one)))
    return not _steps(body) and all(_is_harmless(one, project, depth) for one in handed)


def _steps(node: ast.AST) -> bool:
    """Whether something in a node calls `step`, but of schedulers."""
    calls = (one.func for one in walk(node) if isinstance(one, ast.Call))
    methods = (one for one in calls if isinstance(one, ast.Attribute) and one.attr == "step")
    return not all(is_scheduler(spelt(one.value)) for one in methods)


def _is_read(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _told(source: Source, walk: ast.Call, optimizer: str) -> Fault:
    because = Assumption(Kind.MEANT_TO_LEARN, optimizer, weight=0)
    return Fault(
        Pitfall.NEVER_STEPPED,
        source.place(walk),
        operator=optimizer,
        assumptions=frozenset({because}),
    )
