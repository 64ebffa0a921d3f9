"""An optimizer that always steps with cleared gradients, because backward comes behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from autograd_lint.checkers.alone.walking_calls import may_walk
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.training_statements import (
    Block,
    Does,
    Training,
    is_optimizer,
    trained_blocks,
)
from autograd_lint.project.code import spelt
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import binds, walk
from autograd_lint.project.source import Source


def judge(source: Source, project: Project) -> Iterator[Fault]:
    """Blocks in which a loss is computed, the optimizer steps, and only then backward runs through
    that loss, while the gradients are cleared in between: so each step finds them cleared."""
    for block, found in trained_blocks(source):
        if {Does.CLEARS, Does.STEPS, Does.WALKS} <= {one.does for _, one in found}:
            for number, (position, one) in enumerate(found):
                if one.does is Does.STEPS and _in_vain(found, number, block, project):
                    because = Assumption(Kind.IS_METHOD, spelt(one.call.func), weight=0)
                    yield Fault(
                        Pitfall.STEP_BEFORE_BACKWARD,
                        source.place(block[position]),
                        operator=one.about,
                        assumptions=frozenset({because}),
                    )


def _in_vain(
    found: Sequence[tuple[int, Training]], number: int, block: Block, project: Project
) -> bool:
    """Whether a step comes before the backward of a loss that is there already, and behind a
    clearing that follows all other backwards, round the block."""
    at, step = found[number]
    later = next((one for one in found[number + 1 :] if one[1].does is Does.WALKS), None)
    if later is None or not any(_binds_in(one, later[1].about) for one in block[:at]):
        return False
    before = [*found[number + 1 :], *found[:number]]
    last = next((one for one in reversed(before) if _matters(one[1], step)), None)
    if last is None or last[1].does is not Does.CLEARS:
        return False
    cleared = last[0]
    if cleared < at:
        between: Block = block[cleared + 1 : at]
    elif any(map(_leaves, block[later[0] + 1 : cleared])):
        return False
    else:
        between = (*block[cleared + 1 :], *block[:at])
    return not any(may_walk(one, project) for one in between)


def _matters(one: Training, step: Training) -> bool:
    """Whether a statement clears what the optimizer has, or adds to gradients."""
    clears = one.does is Does.CLEARS and (one.about == step.about or not is_optimizer(one.about))
    return clears or one.does is Does.WALKS


def _binds_in(statement: ast.stmt, name: str) -> bool:
    """Whether a statement, or one in it, binds a name."""
    return any(binds(node, name) for node in walk(statement))


def _leaves(statement: ast.stmt) -> bool:
    """Whether a statement may leave the block."""
    return any(isinstance(node, (ast.Return, ast.Break, ast.Continue)) for node in walk(statement))
