"""Gradients that are cleared in each iteration of a window over which they are to be summed up.

for i, (x, y) in enumerate(loader):
    optimizer.zero_grad()                       # takes away what the earlier batches gave
    (criterion(model(x), y) / n).backward()
    if (i + 1) % n == 0:
        optimizer.step()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from autograd_lint.engine.events import Modified, Needed
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.training_statements import (
    Does,
    Training,
    all_training,
    is_optimizer,
    training_of,
)
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source


def judge(source: Source) -> Iterator[Fault]:
    """Loops that clear gradients and run backward in each iteration, and step every few."""
    loops: list[ast.For | ast.While] = [*source.each(ast.For), *source.each(ast.While)]
    for loop in loops:
        own = [one for one in map(training_of, loop.body) if one is not None]
        clears, walks = _calls(own, Does.CLEARS), _calls(own, Does.WALKS)
        stepping = _window_end(loop.body)
        if clears and walks and stepping and not _calls(own, Does.STEPS):
            told = _of_same(clears, stepping)
            if told is not None:
                yield _fault(source, told, walks[-1], stepping[0])


def _calls(training: Sequence[Training], does: Does) -> list[Training]:
    return [one for one in training if one.does is does]


def _window_end(body: Sequence[ast.stmt]) -> list[Training]:
    """The steps under the only condition of a loop that steps: that so many iterations are over.

    A backward under the same condition is another one, of a loss that is computed less often.
    """
    ends = [one for one in body if isinstance(one, (ast.If, ast.With, ast.Try, ast.For, ast.While))]
    stepping = [one for one in ends if _steps(all_training([one]))]
    if len(stepping) != 1 or not isinstance(stepping[0], ast.If) or stepping[0].orelse:
        return []
    inside = list(all_training(stepping[0].body))
    counts = any(isinstance(part, ast.Mod) for part in walk(stepping[0].test))
    return _calls(inside, Does.STEPS) if counts and not _calls(inside, Does.WALKS) else []


def _steps(training: Iterator[Training]) -> bool:
    return any(one.does is Does.STEPS for one in training)


def _of_same(clears: list[Training], steps: list[Training]) -> Training | None:
    """The clearing of what is stepped, or of a module."""
    stepped = {one.about for one in steps}
    own = (one for one in clears if one.about in stepped or not is_optimizer(one.about))
    return next(own, None)


def _fault(source: Source, clears: Training, walks: Training, steps: Training) -> Fault:
    step = source.place(steps.call)
    return Fault(
        Pitfall.ZERO_GRAD_BEFORE_STEP,
        source.place(clears.call),
        operator="zero_grad",
        modified=Modified(step, "step", None, 0, by_optimizer=True),
        needed=Needed(source.place(walks.call), "backward"),
    )
