"""How sure a finding is follows from its probability."""

import pytest

from autograd_lint.engine.assumptions import Assumption, Kind, Prior
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.evidence.judging import certainty_of, judged
from autograd_lint.levels import Certainty

DARING = Assumption(Kind.CALLED_WHERE_TRAINED, "f", weight=Prior.DARING)
USUAL = Assumption(Kind.RESULT_TRAINED, "g", weight=Prior.USUAL)


def fault(*assumptions: Assumption) -> Fault:
    kind = FaultKind.SAVED_TENSOR_MODIFIED
    return Fault(kind, None, assumptions=frozenset(assumptions))


def test_an_error_that_assumes_nothing_is_certain() -> None:
    found = judged(fault(), "AG308")
    assert (found.certainty, found.probability) == (Certainty.CERTAIN, 1.0)


@pytest.mark.parametrize(("chance", "level"), [(0.8, "likely"), (0.79, "possible")])
def test_four_cases_of_five_are_likely(chance: float, level: str) -> None:
    assert certainty_of(chance).value == level


def test_what_is_assumed_is_told_in_order_with_its_kind_and_its_share() -> None:
    found = judged(fault(USUAL, DARING), "AG103").assumptions
    assert [one.text for one in found] == sorted(one.text for one in found)
    assert {one.kind: one.prior for one in found} == {
        "called-where-trained": "daring",
        "result-trained": "usual",
    }
    assert all(0 < one.probability < 1 for one in found)


def test_what_rests_on_a_daring_assumption_is_possible() -> None:
    assert judged(fault(DARING), "AG103").certainty is Certainty.POSSIBLE
