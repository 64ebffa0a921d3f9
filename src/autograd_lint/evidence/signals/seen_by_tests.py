"""The run of a test shows that the code under test raises: who runs the tests would have seen it.

def test_scale():
    assert scale(Net()(x)).shape == (2,)    # in a file of tests; what raises is in `scale`
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.callers import Owner
from autograd_lint.facts.files_of_tests import holds_tests, is_test, is_test_class, is_test_method
from autograd_lint.project.source import Source


def _speaks(case: Case) -> bool:
    fault, source = case.fault, case.source
    raises = isinstance(fault.kind, FaultKind) and not fault.warned and fault.place is not None
    if not raises or not (holds_tests(source) or _is_test(case.owner)):
        return False
    return not _concerns(fault, source)


def _concerns(fault: Fault, test: Source) -> bool:
    """Whether the mistake itself stands in a file of tests, wherever it raises."""
    events = (fault.modified, fault.built, fault.saved)
    places = [event.place for event in events if event is not None and event.place is not None]
    if not places and fault.place is not None:
        places.append(fault.place)
    return any(place.filename == test.filename for place in places)


def _is_test(owner: Owner) -> bool:
    """Whether what was run is a test, however its file is called."""
    if owner.cls is not None:
        return is_test_class(owner.cls)
    named = owner.function is not None and is_test_method(owner.function)
    return named and is_test(owner.source)


SIGNAL = Signal("seen-by-tests", _speaks, Kind.TEST_FAILS)
