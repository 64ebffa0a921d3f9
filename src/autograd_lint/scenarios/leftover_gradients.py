"""Gradients that a training step leaves to its next call."""

from __future__ import annotations

from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.facts.effects import effects, effects_in
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function


def leaves_gradients(interp: Interpreter, method: Function, count: int) -> bool:
    """Whether a method that was called `count` times before has left gradients it has used.

    Only what the file does not clear elsewhere counts.
    """
    if not interp.state(TrainingRecord).leftovers(added=count > 0):
        return False
    own = effects_in(method.source, method.node).cleared
    return len(interp.query(method.source, cleared)) == len(own)


def called_again(name: str) -> Assumption:
    """What a second call of the training step of that name rests on."""
    return Assumption(Kind.NOT_CLEARED_BETWEEN, name, weight=0)


@query
def cleared(source: Source) -> tuple[str, ...]:
    """What a file clears the gradients of, once for each time it stands there."""
    return effects(source.tree).cleared
