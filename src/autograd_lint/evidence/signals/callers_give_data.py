"""All callers in the project give data for what must require grad, as their own runs show.

def normalize(x):               # told: `x` requires grad
    return x.exp().mul_(2)

normalize(torch.rand(3))        # the only call
"""

from __future__ import annotations

from autograd_lint.evidence.observed_arguments import is_given_data_by_callers
from autograd_lint.evidence.signals.base import Case, Signal


def _speaks(case: Case) -> bool:
    return is_given_data_by_callers(case.fault, case.owner, case.project, case.run)


SIGNAL = Signal("callers-give-data", _speaks, data=True, costly=True)
