"""A tensor is handed to NumPy only where something else that the code is given is an array.

def apply(transform, points):
    if isinstance(transform, np.ndarray):   # who has arrays has them for both
        points = np.asarray(points)         # told: `points` requires grad
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import FaultKind
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.project.code import code_of

_ARRAYS = {"np.ndarray", "numpy.ndarray"}


def _speaks(case: Case) -> bool:
    fault = case.fault
    return fault.kind is FaultKind.NUMPY_ON_GRAD and any(map(_asks_for_array, fault.assumptions))


def _asks_for_array(why: Assumption) -> bool:
    """Whether it is assumed that something is an array of NumPy."""
    condition = why.condition
    if condition is None or not condition.holds:
        return False
    try:
        asked = ast.parse(condition.code, mode="eval").body
    except SyntaxError:
        return False
    if not isinstance(asked, ast.Call) or code_of(asked.func) != "isinstance":
        return False
    return len(asked.args) == 2 and code_of(asked.args[1]) in _ARRAYS


SIGNAL = Signal("beside-arrays", _speaks, Kind.TENSOR_BESIDE_ARRAYS)
