"""A condition asks an option that is None by default for what no object of the project has.

class Layer(nn.Module):
    def __init__(self, quantizer=None): ...
    def forward(self, x):
        if self.quantizer.is_fixed_point:   # no class of the project has such an attribute
            ...
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.default_conditions import asks_strangers
from autograd_lint.evidence.signals.base import Case, Signal, name_of


def _speaks(case: Case) -> bool:
    return any(asks_strangers(why, case.source, case.project) for why in case.fault.assumptions)


SIGNAL = Signal("object-nobody-makes", _speaks, Kind.GIVEN_BY_NOBODY, about=name_of)
