"""Predictions of the shape (n, 1) that are compared with targets of the shape (n,)."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "a mean of squares": """
wanted = y.squeeze(1)
for _ in range(2):
    error = net(x) - wanted  # here
    fit(error.square().mean())
""",
    "the target first, and an activation": """
for _ in range(2):
    error = y.squeeze(1) - net(x).sigmoid()  # here
    fit(3 * error.abs().sum())
""",
}

RIGHT = {
    "the same shape": """
for _ in range(2):
    fit((net(x) - y).square().mean())
    fit((net(x).squeeze(1) - y.squeeze(1)).square().mean())
""",
    "distances of all pairs": """
for _ in range(2):
    out = net(x).squeeze(1)
    fit((out[:, None] - y.squeeze(1)).square().mean())
""",
    "what becomes no loss by itself": """
for _ in range(2):
    near = (-(net(x) - y.squeeze(1)).square()).softmax(1)
    fit((near @ y).square().mean())
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_differences_of_each_with_each_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("crossed-shapes", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_pairs_that_are_meant_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
