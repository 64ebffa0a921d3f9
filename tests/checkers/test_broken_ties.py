"""Tied parameters of which one is replaced."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

PROGRAM = """
first, last = nn.Linear(4, 4), nn.Linear(4, 4)
{}
last(first(torch.randn(3, 4))).sum().backward()
"""
TIE = "last.weight = first.weight"


@pytest.mark.parametrize(
    "replacing",
    [
        "first.weight = nn.Parameter(torch.randn(4, 4))",
        "last.weight = nn.Parameter(torch.randn(4, 4))",
    ],
)
def test_a_tie_is_broken_by_a_new_parameter(replacing: str) -> None:
    assert rows(PROGRAM.format(f"{TIE}\n{replacing}"), Pitfall.TIE_BROKEN) == [4]


@pytest.mark.parametrize(
    "steps",
    [
        f"first.weight = nn.Parameter(torch.randn(4, 4))\n{TIE}",
        f"{TIE}\nfirst.weight = nn.Parameter(torch.randn(4, 4))\n{TIE}",
        f"{TIE}\nlast.weight = nn.Parameter(first.weight.clone())",
        f"{TIE}\nlast.weight = nn.Parameter(first.weight.detach().clone())",
        f"{TIE}\nfirst.weight.data = torch.randn(4, 4)",
        "first.weight = nn.Parameter(torch.randn(4, 4))",
    ],
)
def test_a_tie_that_holds_or_is_taken_apart_on_purpose_is_let_be(steps: str) -> None:
    assert rows(PROGRAM.format(steps), Pitfall.TIE_BROKEN) == []


PARTS = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 4)
        self.last.weight = self.first.weight

    def resize(self, n):
        self.last = nn.Linear(4, n)
        self.first = nn.Linear(4, 4)
        {then}

net = Net()
net.resize(4)
net.last(net.first(torch.randn(3, 4))).sum().backward()
"""


def test_a_tie_is_lost_where_both_modules_are_replaced() -> None:
    assert rows(PARTS.format(then="pass"), Pitfall.TIE_BROKEN) == [10]
    assert rows(PARTS.format(then="self.last.weight = self.first.weight"), Pitfall.TIE_BROKEN) == []
