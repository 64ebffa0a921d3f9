"""An optimizer that steps right behind a clearing: no backward comes between the two.

for x, y in loader:
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.zero_grad()       # stands behind backward, where it is to stand before it
    optimizer.step()
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.checkers.alone.walking_calls import GRADIENTS, definitions, may_walk
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Modified
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import NO_BACKWARD, Pitfall
from autograd_lint.facts.effects import effects
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.training_statements import Block, Does, Training, trained_blocks
from autograd_lint.project.code import called_name, spelt
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

_LOSS = re.compile(r"loss|cost|objective|criterion|err", re.IGNORECASE)
_KEEPING = {"print", "append", "info", "add_scalar", "log"}  # who is given a loss for no more
Positioned = list[tuple[int, Training]]


def judge(source: Source, project: Project) -> Iterator[Fault]:
    """Blocks in which gradients are cleared and the next that is done with them is a step: behind
    a loss of which there is no backward, or behind the backward whose gradients are gone."""
    if is_test(source):
        return
    for block, found in trained_blocks(source):
        for number, (at, step) in enumerate(found):
            cleared = _cleared_before(found[:number], step) if step.does is Does.STEPS else None
            between = block[cleared[0] + 1 : at] if cleared is not None else []
            if cleared is None or any(_gives_gradients(source, one, project) for one in between):
                continue
            computed = [*_before(block, found[: number - 1], cleared[0]), *between]
            losses = {name for one in computed for name in _losses(one)}
            walked = {one.about for _, one in found if one.does is Does.WALKS}
            if losses and losses.isdisjoint(walked):
                yield _of_step(source, step)
            elif not losses and _is_behind_backward(found[: number - 1], step):
                yield _of_clearing(source, cleared[1], step)


def _before(block: Block, found: Positioned, clearing: int) -> Block:
    """The statements of a block that stand between a clearing and what trains before it."""
    last = found[-1][0] if found else -1
    return block[last + 1 : clearing]


def _cleared_before(found: Positioned, step: Training) -> tuple[int, Training] | None:
    """What clears the gradients of an optimizer that is about to step, where nothing else trains
    in the block between the two."""
    last = found[-1] if found else None
    clears = last is not None and last[1].does is Does.CLEARS and last[1].about == step.about
    return last if clears else None


def _gives_gradients(source: Source, statement: ast.stmt, project: Project) -> bool:
    """Whether a statement may run a backward, or speaks of gradients."""
    if GRADIENTS.search(source.segment(statement)) or may_walk(statement, project):
        return True
    names = {called_name(one) for one in walk(statement)}
    bodies = (body for name in names for body in definitions(name, project))
    return any(effects(body).differentiates for body in bodies) or _hands_over(statement, project)


def _hands_over(statement: ast.stmt, project: Project) -> bool:
    """Whether a statement does no more than to hand a loss to what is not known."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or called_name(call) in _KEEPING:
        return False
    plain = [one for one in call.args if isinstance(one, (ast.Name, ast.Attribute))]
    known = definitions(called_name(call), project)
    return any(_LOSS.search(spelt(one)) for one in plain) and not known


def _losses(statement: ast.stmt) -> Iterator[str]:
    """What a statement binds that is called like a loss."""
    bound = (one for one in walk(statement) if isinstance(one, ast.Assign))
    return (name for one in bound for name in map(spelt, one.targets) if _LOSS.search(name))


def _is_behind_backward(found: Positioned, step: Training) -> bool:
    """Whether backward comes last of what trains in a block so far, but for the steps of others."""
    last = next((one for _, one in reversed(found) if _matters(one, step)), None)
    return last is not None and last.does is Does.WALKS


def _matters(one: Training, step: Training) -> bool:
    return one.does is Does.WALKS or (one.does is Does.STEPS and one.about == step.about)


def _of_clearing(source: Source, clearing: Training, step: Training) -> Fault:
    stepped = Modified(source.place(step.call), "step", None, 0, by_optimizer=True)
    return Fault(
        Pitfall.ZERO_GRAD_BEFORE_STEP,
        source.place(clearing.call),
        operator="zero_grad",
        modified=stepped,
        assumptions=_because(step),
    )


def _of_step(source: Source, step: Training) -> Fault:
    return Fault(
        Pitfall.NO_GRADIENTS,
        source.place(step.call),
        detail=NO_BACKWARD,
        assumptions=_because(step),
    )


def _because(step: Training) -> frozenset[Assumption]:
    return frozenset({Assumption(Kind.IS_METHOD, spelt(step.call.func), weight=0)})
