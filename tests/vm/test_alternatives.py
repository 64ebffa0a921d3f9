"""What an unknown is not, once the path has taken it to be something else."""

import pytest

from autograd_lint.vm.alternatives import Alternatives
from tests.vm.running import kinds

TWICE = """
def train(mode, x):
    loss = (x * weight).exp().sum()
    if {first}:
        loss.backward()
    if {second}:
        loss.backward()
"""
HEAD = "weight = torch.ones(2, requires_grad=True)\n"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("mode in ['a']", "mode in ['b']"),
        ("mode in ['a']", "mode == 'b'"),
        ("mode == 'a'", "mode in ('b', 'c')"),
        ("mode in ('a', 'b')", "mode not in ['b', 'a']"),
        ("mode in {'a', 'b'}", "mode in [1, 2]"),
    ],
)
def test_sides_that_exclude_each_other_are_not_taken_together(first: str, second: str) -> None:
    assert kinds(HEAD + TWICE.format(first=first, second=second)) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("mode in ['a', 'b']", "mode in ['b', 'c']"),
        ("mode in ['a']", "mode == 'a'"),
        ("mode in ['a', 'b']", "mode != 'c'"),
        ("(mode,) in seen", "mode in ['b']"),
    ],
)
def test_sides_that_agree_are_taken_together(first: str, second: str) -> None:
    assert kinds(HEAD + "seen = open('x')\n" + TWICE.format(first=first, second=second))


def test_what_is_left_of_several_constants_is_the_one() -> None:
    known = Alternatives().learn(frozenset("ab"), True).learn(frozenset("a"), False)
    assert known.tell(frozenset("b")) is True
    assert known.tell(frozenset("c")) is False
    assert Alternatives().tell(frozenset("a")) is None


ARGUMENT = """
import sys
loss = torch.ones(2, requires_grad=True).exp().sum()
if sys.argv[1] == 'a':
    loss.backward()
if sys.argv[{second}] == 'b':
    loss.backward()
"""


@pytest.mark.parametrize(("second", "found"), [(1, []), (2, ["graph-freed"])])
def test_an_argument_of_a_program_stays_what_it_is(second: int, found: list[str]) -> None:
    assert kinds(ARGUMENT.format(second=second)) == found
