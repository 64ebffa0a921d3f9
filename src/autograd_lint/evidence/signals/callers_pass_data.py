"""Callers in the project pass data for what must require grad, and none what a module computed.

class Model(nn.Module):             # no part of another module
    def forward(self, inputs):
        return self.head(normalized(inputs["X"]))   # the only call of `normalized`
"""

from __future__ import annotations

from autograd_lint.evidence.assumption_origin import given_names, givers
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.argument_origins import Origin, Origins, together


def _speaks(case: Case) -> bool:
    return case.needs_given and origin_of_given(case) is Origin.DATA


def origin_of_given(case: Case) -> Origin:
    """Where what must require grad comes from: a function is given it, or its object was."""
    owners = givers(case.fault, case.owner) or [case.owner]
    pairs = ((owner, name) for owner in owners for name in given_names(case.fault))
    return together(Origins(case.project).of_parameter(*pair) for pair in pairs)


SIGNAL = Signal("callers-pass-data", _speaks, data=True)
