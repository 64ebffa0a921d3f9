"""A learning-rate scheduler that steps before its optimizer, in one block with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Modified
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.training_statements import Does, Training, trained_blocks
from autograd_lint.project.code import spelt
from autograd_lint.project.source import Source


def judge(source: Source) -> Iterator[Fault]:
    """The first step of the optimizer stands below that of the scheduler, which the file makes with
    torch's own classes, for that optimizer."""
    made = dict(_schedulers(source))
    for _, positioned in trained_blocks(source) if made else ():
        found = [one for _, one in positioned]
        for position, one in enumerate(found):
            optimizer = made.get(one.about) if one.does is Does.SCHEDULES else None
            steps = [at for at, step in enumerate(found) if _steps(step, optimizer)]
            if steps and position < steps[0]:
                place = source.place(found[steps[0]].call)
                because = Assumption(Kind.IS_METHOD, spelt(one.call.func), weight=0)
                yield Fault(
                    Pitfall.SCHEDULER_FIRST,
                    source.place(one.call),
                    modified=Modified(place, "step", None, 0, by_optimizer=True),
                    assumptions=frozenset({because}),
                )


def _steps(one: Training, optimizer: str | None) -> bool:
    return one.does is Does.STEPS and one.about == optimizer


def _schedulers(source: Source) -> Iterator[tuple[str, str]]:
    """The names bound to schedulers of torch, and their optimizers as they are spelt."""
    for node in source.each(ast.Assign):
        call = node.value
        if isinstance(call, ast.Call) and call.args and "lr_scheduler." in spelt(call.func):
            yield from ((spelt(target), spelt(call.args[0])) for target in node.targets)
