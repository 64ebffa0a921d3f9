"""Layers that a forward makes."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

TEXT = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = None

    def forward(self, x):
        {body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "return nn.Linear(2, 2)(x)",
        "conv = nn.Conv2d(1, 1, 3); return conv(x)",
        "self.head = nn.Linear(2, 2); return self.head(x)",
    ],
)
def test_a_layer_that_each_call_makes_is_told(body: str) -> None:
    assert Pitfall.UNREGISTERED in noted(TEXT.format(body=body))


@pytest.mark.parametrize(
    "body",
    [
        "return nn.ReLU()(x)",
        "return nn.LayerNorm(2)(x)",
        "conv = nn.Conv2d(1, 1, 3); conv.weight.data = self.kernel; return conv(x)",
        "self.head = self.head or nn.Linear(2, 2); return self.head(x)",
        "return self.parts.append(nn.Linear(2, 2))",
    ],
)
def test_a_layer_that_is_kept_or_set_is_quiet(body: str) -> None:
    assert Pitfall.UNREGISTERED not in noted(TEXT.format(body=body))
