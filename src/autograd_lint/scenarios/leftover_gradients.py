"""Gradients that a training step leaves to its next call."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.facts.effects import effects, effects_in
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function


def leaves_gradients(interp: Interpreter, reached: Sequence[Function], count: int) -> bool:
    """Whether a method that was called `count` times before has left gradients it has used.

    Only what the file does not clear elsewhere than in the functions `reached` from it counts.
    """
    if not interp.state(TrainingRecord).leftovers(added=count > 0):
        return False
    source = reached[0].source
    own = (effects_in(one.source, one.node).cleared for one in reached if one.source is source)
    return len(interp.query(source, cleared)) == sum(map(len, own))


def called_again(name: str) -> Assumption:
    """What a second call of the training step of that name rests on."""
    return Assumption(Kind.NOT_CLEARED_BETWEEN, name, weight=0)


@query
def cleared(source: Source) -> tuple[str, ...]:
    """What a file clears the gradients of, once for each time it stands there."""
    return effects(source.tree).cleared
