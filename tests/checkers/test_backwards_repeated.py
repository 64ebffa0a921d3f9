"""Two backwards for one loss, one below the other."""

from textwrap import indent

import pytest

from autograd_lint.checkers.alone.backwards_repeated import judge
from tests.checkers.noting import told_at


def _rows(program: str) -> list[int]:
    text = "def step(loss, scaler, accelerator, again):\n" + indent(program, "    ")
    return told_at(judge, text)


@pytest.mark.parametrize(
    "program",
    [
        "loss.backward()\nloss.backward()\n",
        "loss.backward()\nprint(loss)\nloss.backward()\n",
        "scaler.scale(loss).backward()\nscaler.scale(loss).backward()\n",
    ],
)
def test_the_second_backward_needs_what_the_first_has_freed(program: str) -> None:
    assert _rows(program) == [program.count("\n") + 1]


@pytest.mark.parametrize(
    "program",
    [
        "loss.backward(retain_graph=True)\nloss.backward()\n",
        "loss.backward()\nloss = again()\nloss.backward()\n",
        "loss.backward()\nagain.backward()\n",
        "if again:\n    loss.backward()\nloss.backward()\n",
        "loss.backward(again)\nloss.backward(again)\n",
        "loss.backward()\nif again: return\nloss.backward()\n",
    ],
)
def test_a_graph_that_is_kept_or_another_one_is_quiet(program: str) -> None:
    assert _rows(program) == []
