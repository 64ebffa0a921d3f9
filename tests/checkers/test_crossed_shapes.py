"""Losses of each prediction with each target."""

import pytest

from tests.vm.running import kinds

TEXT = """
import torch.nn.functional as F
model = nn.Linear(3, 1)
x, y = torch.ones(4, 3), torch.ones(4)
out = model(x)
loss = {loss}
loss.mean().backward()
"""


@pytest.mark.parametrize(
    "loss",
    [
        "(out - y) ** 2",
        "(y - out).abs()",
        "out / y",
        "F.mse_loss(out, y)",
        "nn.L1Loss()(out, y)",
    ],
)
def test_a_column_with_a_row_is_told(loss: str) -> None:
    assert kinds(TEXT.format(loss=loss)) == ["crossed-shapes"]


@pytest.mark.parametrize(
    "loss",
    [
        "(out.squeeze(1) - y) ** 2",
        "(out - y.unsqueeze(1)) ** 2",
        "(out.view(-1, 1) - y) ** 2",
        "(out[:, 0][:, None] - y) ** 2",
        "(out - y[:1]) ** 2",
        "out + y",
        "out / y.norm()",
    ],
)
def test_one_shape_or_one_that_was_asked_for_is_quiet(loss: str) -> None:
    assert kinds(TEXT.format(loss=loss)) == []


def test_what_no_backward_goes_through_is_quiet() -> None:
    assert kinds(TEXT.format(loss="F.mse_loss(out[:, 0], y)") + "print((out - y).mean())") == []
