"""Torch warns of what the code does, and goes on.

quantize = Quantize().apply     # told: a Function should not be instantiated
"""

from __future__ import annotations

from autograd_lint.evidence.probability import ONLY_WARNED
from autograd_lint.evidence.signals.base import Case, Signal


def _speaks(case: Case) -> bool:
    return case.fault.warned


SIGNAL = Signal(ONLY_WARNED, _speaks)
