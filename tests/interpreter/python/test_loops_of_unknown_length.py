"""What a second round of a loop rests on, where nothing tells that there is one."""

import pytest

from tests.interpreter.running import certain, faults, kinds

TWICE = """
w = torch.ones(3, requires_grad=True)
y = w.exp().sum()
{loop}:
    y.backward()
"""


@pytest.mark.parametrize("loop", ["for i in range(library.times())", "while library.goes_on()"])
def test_a_loop_may_be_taken_once(loop: str) -> None:
    (fault,) = faults(TWICE.format(loop=loop))
    assert [one.text for one in fault.assumptions] == ["the loop in line 6 is taken more than once"]


@pytest.mark.parametrize("loop", ["for i in range(100)", "for x in library.data()", "while True"])
def test_a_loop_that_goes_on(loop: str) -> None:
    assert certain(TWICE.format(loop=loop)) == ["graph-freed"]


FIRST = """
w = torch.ones(3, requires_grad=True)
for i in range(library.times()):
    y = w.exp().sum()
    y.backward()
    y.backward()
"""


def test_what_the_first_round_does_is_certain() -> None:
    assert certain(FIRST) == ["graph-freed"]


FILLED = """
def losses(model, count, x):
    found = [torch.empty(0) for _ in range(count)]
    for i in range({count}):
        found[i] = model(x).sum()
    sum(found).backward()
"""


def test_a_loop_over_all_positions_leaves_nothing_of_what_was_there() -> None:
    assert kinds(FILLED.format(count="count")) == []
