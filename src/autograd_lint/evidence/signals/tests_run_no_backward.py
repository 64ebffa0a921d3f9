"""A backward would fail that the tests around it never run.

def test_shape():
    assert Net()(torch.ones(2)).shape == (2,)   # no test of the file runs a backward
"""

from __future__ import annotations

import re

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.files_of_tests import holds_tests

# What runs a backward, or may have others run one.
_TRAINS = re.compile(
    r"backward|\bgrad\(|_grad\(\w|\.fit\(|\btrain(?:_\w+)?\(|[Tt]rainer|optim|loss|jac|vjp"
)


def _speaks(case: Case) -> bool:
    in_tests = case.fault.place is None and holds_tests(case.source)
    return in_tests and not _TRAINS.search(case.source.text)


SIGNAL = Signal("tests-run-no-backward", _speaks, Kind.BACKWARD_IN_TESTS)
