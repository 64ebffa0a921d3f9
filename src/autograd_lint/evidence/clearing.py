"""Gradients that a training step leaves to its next call, which only callers may clear."""

from __future__ import annotations

import re

from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.callers import Callers, Owner
from autograd_lint.project.modules import Project
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
    return interp.ask(method.source, _clears) == own


def called_again(name: str) -> Assumption:
    """What a second call of the training step of that name rests on."""
    return Assumption(Kind.NOT_CLEARED_BETWEEN, name, weight=0)


def is_cleared_by_callers(fault: Fault, owner: Owner, project: Project) -> bool:
    """Whether gradients that a method leaves are rather cleared where the project calls it."""
    if fault.kind is not Pitfall.MISSING_ZERO_GRAD or owner.function is None:
        return False
    if called_again(owner.function.name) not in fault.assumptions:
        return False
    sites = Callers(project).sites(owner)
    return sites is None or any(
        _clears(one.source) for one in sites if one.source is not owner.source
    )


@query
def _clears(source: Source) -> int:
    """How often something clears gradients in a file."""
    return sum(times for _, times in source.pieces.each(_clears_in))


def _clears_in(text: str) -> int:
    return len(_CLEARS.findall(text))
