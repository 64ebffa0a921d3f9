"""A batch that is passed over for its loss once backward has run, with its gradients left in place.

loss.backward()
if not torch.isfinite(loss):
    continue                  # the NaN stays in `.grad`, and the next step uses it
optimizer.step()
optimizer.zero_grad()
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Modified
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.training_statements import (
    Block,
    Does,
    Training,
    all_training,
    trained_blocks,
)
from autograd_lint.project.code import spelt
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

_NOT_FINITE = re.compile(r"\b(?:isfinite|isnan|isinf)\b")
_CLEARS = re.compile(r"zero_grad|\.grad\b")
Found = list[tuple[int, Training]]


def judge(source: Source) -> Iterator[Fault]:
    """Loops that clear gradients behind the step alone, and go on to the next iteration between
    backward and step because a number of the batch is not finite."""
    loops: list[ast.For | ast.While] = [*source.each(ast.For), *source.each(ast.While)]
    bodies = {id(loop.body) for loop in loops}
    for block, found in trained_blocks(source):
        if id(block) not in bodies:
            continue
        for number, (position, one) in enumerate(found):
            step = _step_before_clearing(found[number + 1 :])
            if one.does is not Does.WALKS or step is None or _clears(block[:position]):
                continue
            between = block[position + 1 : step[0]]
            passing = next(filter(_passes_over, between), None)
            if passing is not None:
                yield _told(source, one, step[1], passing.lineno)
                break


def _step_before_clearing(found: Found) -> tuple[int, Training] | None:
    """The first step behind a backward, where gradients are cleared behind that and not before."""
    for number, (position, one) in enumerate(found):
        if one.does is Does.CLEARS:
            return None
        if one.does is Does.STEPS:
            later = (other.does for _, other in found[number + 1 :])
            return (position, one) if Does.CLEARS in later else None
    return None


def _clears(block: Block) -> bool:
    """Whether something clears gradients in front of backward."""
    return any(one.does is Does.CLEARS for one in all_training(block)) or any(
        _CLEARS.search(ast.unparse(one)) for one in block
    )


def _passes_over(statement: ast.stmt) -> bool:
    """Whether a statement leaves the iteration where something is not finite, and leaves the
    gradients as they are."""
    if not isinstance(statement, ast.If) or not _NOT_FINITE.search(ast.unparse(statement.test)):
        return False
    leaves = any(isinstance(one, ast.Continue) for one in statement.body)
    text = "\n".join(map(ast.unparse, statement.body))
    others = (one for one in walk(statement) if isinstance(one, ast.Call))
    given = any("optim" in spelt(one) for one in others)
    return leaves and not _CLEARS.search(text) and not given


def _told(source: Source, backward: Training, step: Training, row: int) -> Fault:
    because = Assumption(Kind.BATCH_PASSED_OVER, detail=str(row), weight=0)
    return Fault(
        Pitfall.MISSING_ZERO_GRAD,
        source.place(backward.call),
        operator=step.about,
        modified=Modified(source.place(step.call), step.about, None, 0, by_optimizer=True),
        assumptions=frozenset({because}),
    )
