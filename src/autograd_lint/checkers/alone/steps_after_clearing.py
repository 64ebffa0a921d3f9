"""An optimizer that always steps with cleared gradients, because backward comes behind it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.training_statements import (
    Block,
    Does,
    Training,
    blocks,
    is_optimizer,
    training_in,
)
from autograd_lint.project.code import spelt
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

# Calls that may run a backward of their own.
_MAY_WALK = re.compile(
    r"backward|closure|optimi[sz]e|update|train|learn|grad(ient)?s?\b|step", re.IGNORECASE
)


def judge(source: Source) -> Iterator[Fault]:
    """Blocks in which a loss is computed, the optimizer steps, and only then backward runs through
    that loss, while the gradients are cleared in between: so each step finds them cleared."""
    for block in blocks(source):
        found = training_in(block)
        if {Does.CLEARS, Does.STEPS, Does.WALKS} <= {one.does for _, one in found}:
            for number, (position, one) in enumerate(found):
                if one.does is Does.STEPS and _in_vain(found, number, block):
                    because = Assumption(Kind.IS_METHOD, spelt(one.call.func), weight=0)
                    yield Fault(
                        Pitfall.STEP_BEFORE_BACKWARD,
                        source.place(block[position]),
                        operator=one.about,
                        assumptions=frozenset({because}),
                    )


def _in_vain(found: Sequence[tuple[int, Training]], number: int, block: Block) -> bool:
    """Whether a step comes before the backward of a loss that is there already, and behind a
    clearing that follows all other backwards, round the block."""
    position, step = found[number]
    later = next((one for _, one in found[number + 1 :] if one.does is Does.WALKS), None)
    if later is None or not any(_stores(one, later.about) for one in block[:position]):
        return False
    before = [*found[number + 1 :], *found[:number]]
    last = next((one for one in reversed(before) if _matters(one[1], step)), None)
    if last is None or last[1].does is not Does.CLEARS:
        return False
    start = last[0]
    between = block[start + 1 : position] if start < position else block[:position]
    return not any(_may_walk(statement) for statement in between)


def _matters(one: Training, step: Training) -> bool:
    """Whether a statement clears what the optimizer has, or adds to gradients."""
    clears = one.does is Does.CLEARS and (one.about == step.about or not is_optimizer(one.about))
    return clears or one.does is Does.WALKS


def _stores(statement: ast.stmt, name: str) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = (node for target in targets for node in walk(target))
    return any(isinstance(node, ast.Name) and node.id == name for node in names)


def _may_walk(statement: ast.stmt) -> bool:
    """Whether a statement may run a backward, or leave the block."""
    return any(
        isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.With))
        or (isinstance(node, ast.Call) and _MAY_WALK.search(spelt(node.func)))
        for node in walk(statement)
    )
