"""The calls that the project has of a function all lead through a `no_grad`, be it far outside.

class Model(nn.Module):
    def sample(self, x):            # called by `evaluate` alone
        for beam in self.beams:
            beam.update(self.net(x))

def evaluate(model, x):
    with torch.no_grad():
        return model.sample(x)

An error of autograd in `update` cannot be raised there.
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.probability import WHOLE_PROGRAM
from autograd_lint.evidence.signals.base import RECORDED, Case, Signal, name_of
from autograd_lint.facts.grad_mode_of_callers import is_reached_without_grad


def _speaks(case: Case) -> bool:
    """Whether a harness alone has called with grad mode on what the project calls without."""
    is_run = WHOLE_PROGRAM in case.fault.signals
    if is_run or case.fault.kind not in RECORDED or case.owner.function is None:
        return False
    return is_reached_without_grad(case.owner, case.project)


SIGNAL = Signal("reached-without-grad", _speaks, Kind.GRAD_MODE_ON_OUTSIDE, about=name_of)
