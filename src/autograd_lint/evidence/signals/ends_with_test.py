"""What matters to a training that goes on, or to memory that is held for long, ends with a test.

def test_it_learns():
    losses = []
    for _ in range(10):
        ...
        losses.append(loss)     # keeps graphs, until the test is over
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.signals.base import Case, Signal, name_of
from autograd_lint.facts.files_of_tests import holds_tests
from autograd_lint.project.source import Source

LASTING = {
    Pitfall.ACCUMULATION_UNSCALED,
    Pitfall.CLIP_IN_VAIN,
    Pitfall.EVALUATION_BUILDS_GRAPHS,
    Pitfall.FREEZE_UNDONE,
    Pitfall.GRADIENTS_PILE_UP,
    Pitfall.GRADIENT_KEEPS_GRAPH,
    Pitfall.GRAPH_KEPT,
    Pitfall.MISSING_ZERO_GRAD,
    Pitfall.NEEDLESS_RETAIN,
    Pitfall.NO_OPTIMIZER,
    Pitfall.SCHEDULER_FIRST,
}


def _speaks(case: Case) -> bool:
    return ends(case.fault, case.source)


def ends(fault: Fault, source: Source) -> bool:
    """Whether a fault of a file does no harm for longer than a test takes."""
    return fault.kind in LASTING and holds_tests(source)


SIGNAL = Signal("ends-with-test", _speaks, Kind.OUTLIVES_TEST, about=name_of)
