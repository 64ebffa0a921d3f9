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
