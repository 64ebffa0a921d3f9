"""Where functions of one number lead intervals, and from where."""

from math import inf

import pytest

from autograd_lint.checkers.images import FUNCTIONS, Step, clamped, image, preimage, scaled, shifted
from autograd_lint.checkers.intervals import Interval

THERE = [
    (shifted(-1.0), Interval(1, inf, True), (Interval(0, inf, True),)),
    (scaled(-2.0), Interval(0, 1, True), (Interval(-2, 0, False, True),)),
    (FUNCTIONS["square"], Interval(-2, 1), (Interval(0, 4), Interval(0, 1))),
    (FUNCTIONS["abs"], Interval(1, 3, True), (Interval(1, 3, True),)),
    (FUNCTIONS["reciprocal"], Interval(0, 2, True), (Interval(0.5, inf, False, True),)),
    (clamped(0.0, inf), Interval(-inf, 0, False, True), (Interval(0, 0),)),
]
BACK = [
    (shifted(3.0), Interval(3, 4), (Interval(0, 1),)),
    (FUNCTIONS["square"], Interval(-inf, 4), (Interval(0, 2), Interval(-2, 0))),
    (FUNCTIONS["square"], Interval(-2, -1), ()),
    (clamped(0.0, inf), Interval(0, 1), (Interval(-inf, 1),)),
    (clamped(0.0, 1.0), Interval(2, 3), ()),
]


@pytest.mark.parametrize(("step", "given", "found"), THERE)
def test_where_a_function_leads(step: Step, given: Interval, found: tuple[Interval, ...]) -> None:
    assert image((step,), (given,)) == found


@pytest.mark.parametrize(("step", "given", "found"), BACK)
def test_from_where_it_leads(step: Step, given: Interval, found: tuple[Interval, ...]) -> None:
    assert preimage((step,), (given,)) == found


def test_several_functions_are_applied_in_their_order() -> None:
    steps = (shifted(-1.0), FUNCTIONS["reciprocal"])
    assert image(steps, (Interval(2, 3),)) == (Interval(0.5, 1),)
    assert preimage(steps, (Interval(0.5, 1),)) == (Interval(2, 3),)


def test_what_two_intervals_have_in_common() -> None:
    assert Interval(0, 2, True).meeting(Interval(0, 1)) == Interval(0, 1, True)
    assert Interval(0, 1).meeting(Interval(1, 2, True)) is None
