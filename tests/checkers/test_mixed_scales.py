"""Losses that a gradient scaler has scaled, beside others."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

MIXED = Pitfall.SCALED_GRADIENTS
LOOP = """
scaler = torch.amp.GradScaler("cpu"{})
for x, y in loader:
    optimizer.zero_grad()
    loss, other = F.mse_loss(model(x), y), model(x).abs().mean()
    {}
    scaler.step(optimizer)
    scaler.update()
"""


@pytest.mark.parametrize(
    "backward",
    [
        "scaler.scale(loss).backward(); other.backward()",
        "other.backward(); scaler.scale(loss).backward()",
        "(scaler.scale(loss) + 0.1 * other).backward()",
    ],
)
def test_a_loss_that_is_not_scaled_beside_one_that_is(backward: str) -> None:
    assert rows(LOOP.format("", backward), MIXED) == [6]


@pytest.mark.parametrize(
    "backward",
    [
        "scaler.scale(loss).backward(); scaler.scale(other).backward()",
        "(scaler.scale(loss) + scaler.scale(other)).backward()",
        "scaler.scale(loss + other).backward()",
        "other.backward(); optimizer.zero_grad(); scaler.scale(loss).backward()",
    ],
)
def test_losses_that_are_all_scaled(backward: str) -> None:
    assert rows(LOOP.format("", backward), MIXED) == []


@pytest.mark.parametrize(("enabled", "mixed"), [("unknown", [6]), ("False", [])])
def test_a_scaler_mixes_something_where_it_is_switched_on(enabled: str, mixed: list[int]) -> None:
    backward = "scaler.scale(loss).backward(); other.backward()"
    assert rows(LOOP.format(f", enabled={enabled}", backward), MIXED) == mixed
