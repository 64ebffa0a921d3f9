"""A program that nobody installs would raise when it is run, provided that something holds.

def loss(weights, x):       # in a folder without `setup.py` or the like
    x -= weights            # told, provided that `x` requires grad
    ...

Who has run it has seen that it does not. Of what a package offers that is not known, nor of
modules that nothing in the program trains.
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import FaultKind
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.project.distribution import is_distributed


def _speaks(case: Case) -> bool:
    raises = isinstance(case.fault.kind, FaultKind) and not case.fault.warned
    kinds = {why.kind for why in case.fault.premises}
    run = bool(kinds) and Kind.RESULT_TRAINED not in kinds
    return raises and run and not is_distributed(case.project)


SIGNAL = Signal("raises-when-run", _speaks)
