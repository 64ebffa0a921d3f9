"""Tests that are to end an accumulation window."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

LOOP = """
import torch
for i, batch in enumerate(loader):
    loss = model(batch).sum() / window
    {walk}
    if {test}:
        {body}
    {after}
"""
STEP = "optimizer.step(); optimizer.zero_grad()"


def told(test: str, walk: str = "loss.backward()", body: str = STEP, after: str = "") -> bool:
    program = LOOP.format(test=test, walk=walk, body=body, after=after)
    return Pitfall.WINDOW_MISJUDGED in noted(program)


@pytest.mark.parametrize(
    "test", ["i + 1 % window == 0", "not i + 1 % window", "last or i - 1 % window == 0"]
)
def test_a_remainder_of_a_part_of_a_sum_is_told(test: str) -> None:
    assert told(test)


@pytest.mark.parametrize("test", ["(i + 1) % window", "i % window != 0", "i % window > 0"])
def test_a_step_in_all_iterations_but_the_last_is_told(test: str) -> None:
    assert told(test)


@pytest.mark.parametrize(
    "test", ["(i + 1) % window == 0", "not (i + 1) % window", "i + n % window == 0", "last"]
)
def test_a_test_for_multiples_is_quiet(test: str) -> None:
    assert not told(test)


def test_another_length_than_the_loss_is_divided_by_is_quiet() -> None:
    assert not told("i % every")


def test_an_update_with_its_own_backward_is_quiet() -> None:
    assert not told("i % window", walk="pass", body=f"loss.backward(); {STEP}")


def test_gradients_that_are_only_cleared_are_quiet() -> None:
    assert not told("i % window", body="optimizer.zero_grad()", after="optimizer.step()")
