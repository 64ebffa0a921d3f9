"""What is handed to NumPy is computed for a part of the data that nothing is trained on.

if split == "test":
    return y.numpy()
"""

from __future__ import annotations

import re

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import FaultKind
from autograd_lint.evidence.signals.base import Case, Signal

# A string that names such a part.
_SPLIT = re.compile(r"['\"](?:\w+_)?(?:dev|eval|test|val|valid|validation)['\"]")


def _speaks(case: Case) -> bool:
    to_numpy = case.fault.kind is FaultKind.NUMPY_ON_GRAD
    return to_numpy and any(map(_is_of_evaluation, case.fault.assumptions))


def _is_of_evaluation(why: Assumption) -> bool:
    """Whether a condition tells the parts of the data apart."""
    condition = why.condition.code_that_holds if why.condition is not None else ""
    return _SPLIT.search(condition) is not None


SIGNAL = Signal("evaluation-split", _speaks, Kind.GRAD_MODE_IN_EVALUATION)
