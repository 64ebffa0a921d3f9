"""An optimizer that never steps, beside another one that does.

for real in loader:
    self.opt_d.zero_grad()
    d_loss(real).backward()             # for nothing: where does `self.opt_d` step?
    self.opt_g.zero_grad()
    g_loss().backward()
    self.opt_g.step()
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograd_lint.checkers.alone.steps_left_out import never_steps
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.optimized_paths import Paths, are_apart, optimized_paths
from autograd_lint.facts.training_statements import Block, Does, all_training
from autograd_lint.project.code import called_name, last_name, spelt
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import calls_in
from autograd_lint.project.source import Source

_READS_GRADIENTS = re.compile(r"\.grad\b(?!\s*\()")  # who does may update by hand
_WALKING = {"backward", "manual_backward"}
_FEWEST = 2  # backwards, of which one is for the optimizer that never steps


@dataclass(frozen=True)
class Optimizer:
    """An optimizer that a file makes or asks for: how it is spelt, where that is, the text of what
    it was given, and the code in which something would step it."""

    name: str
    made: ast.Assign
    given: Paths
    scope: ast.AST


def judge(source: Source, project: Project) -> Iterator[Fault]:
    """Loops, and functions that are called in each iteration, in which one optimizer steps while
    nothing can step another one, though backward runs for that, too."""
    if is_test(source) or _READS_GRADIENTS.search(source.text):
        return
    told: set[str] = set()
    for block, optimizers in _trained(source):
        stepped = {one.about for one in all_training(block) if one.does is Does.STEPS}
        for one in optimizers:
            if one.name in told or not _is_beside(one, stepped, source):
                continue
            backward = _meant_for(one, block)
            if backward is not None and _never_steps(one, source, project):
                told.add(one.name)
                yield Fault(
                    Pitfall.NEVER_STEPPED,
                    source.place(backward),
                    operator=one.name,
                    built=Created(source.place(one.made), one.name),
                    assumptions=frozenset({Assumption(Kind.MEANT_TO_LEARN, one.name, weight=0)}),
                )


def _trained(source: Source) -> Iterator[tuple[Block, list[Optimizer]]]:
    """What is run again and again, with the optimizers that it may step: loops with those that the
    file makes, and functions with those that they ask a trainer for."""
    made = optimized_paths(source)
    own = [
        Optimizer(name, node, made[name], source.tree)
        for node in source.each(ast.Assign)
        for name in map(spelt, node.targets)
        if name in made
    ]
    loops: list[ast.For | ast.While] = [*source.each(ast.For), *source.each(ast.While)]
    for loop in loops if own else ():
        yield loop.body, own
    for function in source.each(ast.FunctionDef):
        asked = list(_asked_for(function))
        if asked:
            yield function.body, asked


def _asked_for(function: ast.FunctionDef) -> Iterator[Optimizer]:
    """`opt_g, opt_d = self.optimizers()`."""
    for node in function.body:
        if isinstance(node, ast.Assign) and called_name(node.value) == "optimizers":
            for target in node.targets:
                for part in target.elts if isinstance(target, ast.Tuple) else ():
                    yield Optimizer(spelt(part), node, frozenset(), function)


def _is_beside(one: Optimizer, stepped: set[str], source: Source) -> bool:
    """Whether others step, none of which has any of the parameters of this one."""
    if one.name in stepped or not stepped:
        return False
    return not one.given or all(are_apart(one.name, other, source) for other in stepped)


def _meant_for(one: Optimizer, block: Block) -> ast.Call | None:
    """The backward that is to fill the gradients of an optimizer: the first one behind where these
    are cleared; None where nothing is cleared for it, where it clears where it is to step, and
    where there are too few backwards."""
    calls = [call for statement in block for call in calls_in(statement)]
    walks = [call for call in calls if called_name(call) in _WALKING]
    if len(walks) < _FEWEST:
        return None
    cleared = {one.name, *one.given, *(path.rpartition(".")[0] for path in one.given)} - {"self"}
    rows = [
        call.lineno
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == "zero_grad"
        and spelt(call.func.value) in cleared
    ]
    found = next((call for call in walks for row in rows if call.lineno > row), None)
    return found if found is not None and found.lineno > max(rows) else None


def _never_steps(one: Optimizer, source: Source, project: Project) -> bool:
    """Whether nothing can step an optimizer: neither in the code that knows it, nor in other files
    that speak of an attribute of that name."""
    if not never_steps(one.scope, one.name, project):
        return False
    name = one.name.rpartition(".")[2]
    others = (other for other in project.speaking(name) if other is not source)
    return one.scope is not source.tree or not any(_reads(other, name) for other in others)


def _reads(source: Source, name: str) -> bool:
    """Whether a file reads an attribute of that name, and binds none itself."""
    parts = [one for one in source.each(ast.Attribute) if last_name(one) == name]
    return bool(parts) and all(isinstance(one.ctx, ast.Load) for one in parts)
