from math import inf

from autograd_lint.vm.bounds import Bounds

HUGE = 10**400  # more than a float holds


def test_a_number_that_no_float_holds_is_a_bound() -> None:
    bounds = Bounds()
    bounds.learn("gt", HUGE, True)
    assert bounds.tell("gt", HUGE) is True
    assert bounds.tell("lt", HUGE) is False
    assert bounds.tell("gt", HUGE + 1) is None
    assert bounds.high == inf


def test_whole_numbers_leave_out_what_they_cannot_be() -> None:
    bounds = Bounds()
    bounds.learn("gt", 2, True)
    bounds.learn("eq", 3, False)
    bounds.whole()
    assert bounds.tell("ge", 4) is True
