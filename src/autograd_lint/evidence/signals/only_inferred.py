"""Nothing in the project trains: it loads weights, and runs them with grad mode off.

class Decoder(nn.Module):
    def forward(self, nodes):
        nodes += self.attend(nodes)     # only backward would raise, which nobody runs
        return nodes

@torch.no_grad()
def main():
    model.load_state_dict(torch.load(path))
    print(model(nodes))
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.probability import WHOLE_PROGRAM
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.inference_projects import only_infers

# What only goes wrong where somebody trains.
_IN_TRAINING = {
    FaultKind.SAVED_TENSOR_MODIFIED,
    FaultKind.VIEW_MODIFIED,
    FaultKind.OTHER,
    Pitfall.FORWARD_CUT,
    Pitfall.GRADIENT_CUT,
    Pitfall.GRAPH_KEPT,
}


def _speaks(case: Case) -> bool:
    fault = case.fault
    if WHOLE_PROGRAM in fault.signals or fault.warned or fault.kind not in _IN_TRAINING:
        return False
    return only_infers(case.project)


SIGNAL = Signal("only-inferred", _speaks, Kind.TRAINED_BY_OTHERS)
