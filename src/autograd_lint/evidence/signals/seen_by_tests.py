"""The run of a test shows that the code under test raises: who runs the tests would have seen it.

def test_scale():
    assert scale(Net()(x)).shape == (2,)    # in a file of tests; what raises is in `scale`
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import FaultKind, places
from autograd_lint.evidence.signals.base import Case, Signal, holds_tests


def _speaks(case: Case) -> bool:
    fault, source = case.fault, case.source
    raises = isinstance(fault.kind, FaultKind) and not fault.warned and fault.place is not None
    if not raises or not holds_tests(source):
        return False
    return all(one is None or one.filename != source.filename for one in places(fault))


SIGNAL = Signal("seen-by-tests", _speaks, Kind.TEST_FAILS)
