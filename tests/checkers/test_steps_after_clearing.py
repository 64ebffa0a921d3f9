"""Optimizers that step after their gradients were cleared, and before the backward."""

from textwrap import indent

import pytest

from autograd_lint.checkers.alone.steps_after_clearing import judge
from tests.checkers.noting import told_at

LOOP = """\
for x in loader:
    loss = model(x)
    opt.step()
    loss.backward()
    opt.zero_grad()
"""


SKIPPED = """\
for x in loader:
    if x is None:
        continue
    if x > 1:
        loss = model(x)
    opt.step()
    loss.backward()
    opt.zero_grad()
"""


def _rows(program: str) -> list[int]:
    text = "def train(model, opt, other_opt, loader):\n" + indent(program, "    ")
    return told_at(judge, text)


@pytest.mark.parametrize(
    ("program", "row"),
    [
        ("opt.zero_grad()\nloss = model()\nopt.step()\nloss.backward()\n", 4),
        ("loss = model()\nopt.step()\nloss.backward()\nmodel.zero_grad()\n", 3),
        (LOOP, 4),
        (SKIPPED, 7),
    ],
)
def test_a_step_before_the_backward_of_its_loss_is_told(program: str, row: int) -> None:
    assert _rows(program) == [row]


@pytest.mark.parametrize(
    "program",
    [
        "opt.zero_grad()\nloss = model()\nloss.backward()\nopt.step()\n",
        "opt.step()\nopt.zero_grad()\nloss = model()\nloss.backward()\n",
        "loss = model()\nopt.step()\nother_opt.zero_grad()\nloss.backward()\n",
        "loss = model()\nopt.step()\nloss.backward()\nif loader: return\nopt.zero_grad()\n",
        "opt.zero_grad()\nloss = model()\nrun_backward(loss)\nopt.step()\nloss.backward()\n",
        "loss = model()\nloss.backward()\nopt.zero_grad()\nopt.step()\n",
    ],
)
def test_steps_that_find_gradients_or_are_meant_without_them_are_quiet(program: str) -> None:
    assert _rows(program) == []
