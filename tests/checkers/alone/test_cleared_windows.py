"""Gradients that are cleared in each iteration of a window."""

import pytest

from autograd_lint.checkers.alone import cleared_windows
from tests.checkers.noting import told_at

LOOP = """
for i, (x, y) in enumerate(loader):
    {clear}
    loss = criterion(model(x), y) / window
    {walk}
    if {test}:
        {end}
"""


def told(
    clear: str = "optimizer.zero_grad()",
    walk: str = "loss.backward()",
    test: str = "(i + 1) % window == 0",
    end: str = "optimizer.step()",
) -> bool:
    text = LOOP.format(clear=clear, walk=walk, test=test, end=end)
    return told_at(cleared_windows.judge, text) == [3]


@pytest.mark.parametrize("clear", ["optimizer.zero_grad()", "model.zero_grad()"])
def test_clearing_in_each_iteration_of_a_window_is_told(clear: str) -> None:
    assert told(clear)


def test_a_scaled_loss_is_one_as_well() -> None:
    assert told(walk="scaler.scale(loss).backward()", end="scaler.step(optimizer)")


def test_another_optimizer_is_cleared_for_something_else() -> None:
    assert not told("optimizer_of_critic.zero_grad()")


def test_a_step_in_each_iteration_uses_what_is_there() -> None:
    assert not told(walk="loss.backward(); optimizer_of_critic.step()")


def test_a_loss_that_is_computed_less_often_is_another_one() -> None:
    assert not told(end="other(model).backward(); optimizer.step()")


@pytest.mark.parametrize("test", ["last", "i >= window"])
def test_what_does_not_count_is_no_window(test: str) -> None:
    assert not told(test=test)


def test_clearing_behind_the_step_is_quiet() -> None:
    assert not told(clear="pass", end="optimizer.step(); optimizer.zero_grad()")
