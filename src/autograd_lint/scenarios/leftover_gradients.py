"""Gradients that a training step leaves to its next call."""

from __future__ import annotations

import re

from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function

_CLEARS = re.compile(r"zero_grad|\bgrad\s*=\s*None|\bgrad(?:\.data)?\.zero_\(")


def leaves_gradients(interp: Interpreter, method: Function, count: int) -> bool:
    """Whether a method that was called `count` times before has left gradients it has used.

    Only what the file does not clear elsewhere counts.
    """
    if not interp.state(TrainingRecord).leftovers(added=count > 0):
        return False
    own = _clears_in(method.source.segment(method.node))
    return interp.ask(method.source, clears) == own


def called_again(name: str) -> Assumption:
    """What a second call of the training step of that name rests on."""
    return Assumption(Kind.NOT_CLEARED_BETWEEN, name, weight=0)


@query
def clears(source: Source) -> int:
    """How often something clears gradients in a file."""
    return sum(times for _, times in source.pieces.each(_clears_in))


def _clears_in(text: str) -> int:
    return len(_CLEARS.findall(text))
