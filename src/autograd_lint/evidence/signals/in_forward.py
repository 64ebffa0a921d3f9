"""It stands in what a module computes when it is called.

class Net(nn.Module):
    def forward(self, x):
        y = x.exp()
        y += 1
        return y
"""

from __future__ import annotations

from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.class_kinds import is_named_module


def _speaks(case: Case) -> bool:
    owner = case.owner
    if owner.cls is None or owner.function is None or not is_named_module(owner.cls):
        return False
    return owner.function.name in ("forward", "__call__")


SIGNAL = Signal("in-forward", _speaks)
