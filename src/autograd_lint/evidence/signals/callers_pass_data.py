"""Callers in the project pass data for what must require grad, and none what a module computed.

class Model(nn.Module):             # no part of another module
    def forward(self, inputs):
        return self.head(normalized(inputs["X"]))   # the only call of `normalized`
"""

from __future__ import annotations

from autograd_lint.evidence.assumption_origin import needs_given_tensor
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.argument_origins import Origin


def _speaks(case: Case) -> bool:
    given = case.needs_given or needs_given_tensor(case.fault)
    return given and case.origin_of_given is Origin.DATA


SIGNAL = Signal("callers-pass-data", _speaks, data=True)
