"""Losses that are made anew from their numbers before the backward."""

from textwrap import indent

import pytest

from autograd_lint.checkers.alone.losses_from_numbers import judge
from tests.checkers.noting import told_at


def _rows(program: str) -> list[int]:
    text = "def step(loss, a, b):\n" + indent(program, "    ")
    return told_at(judge, text)


@pytest.mark.parametrize(
    "made",
    [
        "torch.tensor(loss.item(), requires_grad=True)",
        "torch.tensor(a.item() + b.item(), requires_grad=True)",
        "Variable(a.detach() + b, requires_grad=True)",
    ],
)
def test_a_leaf_of_numbers_reaches_no_parameter(made: str) -> None:
    assert _rows(f"loss = {made}\nprint(loss)\nloss.backward()\n") == [2]


@pytest.mark.parametrize(
    "program",
    [
        "loss = torch.tensor(2.0, requires_grad=True)\nloss.backward()\n",
        "loss = torch.tensor(a.item(), requires_grad=True)\nloss = loss * b\nloss.backward()\n",
        "loss = torch.tensor(a.item(), requires_grad=True)\nfor loss in b: pass\nloss.backward()\n",
        "loss = a.item() + b\nloss.backward()\n",
    ],
)
def test_plain_leaves_and_names_bound_again_are_quiet(program: str) -> None:
    assert _rows(program) == []
