"""A learning-rate scheduler that steps right before its optimizer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Modified
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.training_statements import Does, blocks, training_in
from autograd_lint.project.code import spelt
from autograd_lint.project.source import Source


def judge(source: Source) -> Iterator[Fault]:
    """The two steps stand one below the other, and the file makes the scheduler with torch's own
    classes, for that optimizer."""
    made = dict(_schedulers(source))
    for block in blocks(source) if made else ():
        for (_, first), (_, second) in pairwise(training_in(block)):
            in_order = first.does is Does.SCHEDULES and second.does is Does.STEPS
            if in_order and made.get(first.about) == second.about:
                step = Modified(source.place(second.call), "step", None, 0, by_optimizer=True)
                because = Assumption(Kind.IS_METHOD, spelt(first.call.func), weight=0)
                yield Fault(
                    Pitfall.SCHEDULER_FIRST,
                    source.place(first.call),
                    modified=step,
                    assumptions=frozenset({because}),
                )


def _schedulers(source: Source) -> Iterator[tuple[str, str]]:
    """The names bound to schedulers of torch, and their optimizers as they are spelt."""
    for node in source.each(ast.Assign):
        call = node.value
        if isinstance(call, ast.Call) and call.args and "lr_scheduler." in spelt(call.func):
            yield from ((spelt(target), spelt(call.args[0])) for target in node.targets)
