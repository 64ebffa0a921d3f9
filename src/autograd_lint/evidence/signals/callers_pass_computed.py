"""A caller in the project passes what a module has computed for what must require grad.

class Model(nn.Module):
    def forward(self, x):
        return normalized(self.layer(x))
"""

from __future__ import annotations

from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.argument_origins import Origin


def _speaks(case: Case) -> bool:
    return case.needs_given and case.origin_of_given is Origin.COMPUTED


SIGNAL = Signal("callers-pass-computed", _speaks)
