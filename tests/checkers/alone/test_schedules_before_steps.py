"""Schedulers that step one line before their optimizers."""

import pytest

from autograd_lint.checkers.alone.schedules_before_steps import judge
from tests.checkers.noting import told_at

TRAINING = """
scheduler = {made}
def epoch(optimizer, loss):
    {first}
    optimizer.zero_grad(); loss.backward()
    {second}
"""
OWN = "torch.optim.lr_scheduler.StepLR(optimizer, 3)"


def _rows(made: str, first: str, second: str) -> list[int]:
    text = TRAINING.format(made=made, first=first, second=second)
    return told_at(judge, text)


def test_the_scheduler_stands_above_the_step_of_its_optimizer() -> None:
    assert _rows(OWN, "scheduler.step()", "optimizer.step()") == [4]


@pytest.mark.parametrize(
    ("made", "first", "second"),
    [
        (OWN, "optimizer.step()", "scheduler.step()"),
        (OWN, "scheduler.step()", "other_optimizer.step()"),
        ("Warmup(optimizer)", "scheduler.step()", "optimizer.step()"),
    ],
)
def test_the_right_order_others_and_schedulers_of_the_program_are_quiet(
    made: str, first: str, second: str
) -> None:
    assert _rows(made, first, second) == []
