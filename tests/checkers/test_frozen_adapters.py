"""Adapters that are frozen together with the layers that they were put around."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

PROGRAM = """
class Adapter(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.scale = layer, nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.layer(x) * self.scale

{}
loss = F.mse_loss(model(loader[0][0]), loader[0][1])
loss.backward()
"""
WRAP = "model[0] = Adapter(model[0])"
FREEZE = "for p in model[0].parameters(): p.requires_grad = False"


def test_an_adapter_that_is_frozen_with_its_layer_is_not_trained() -> None:
    assert rows(PROGRAM.format(f"{WRAP}\n{FREEZE}"), Pitfall.ADAPTER_FROZEN) == [11]


@pytest.mark.parametrize(
    "steps",
    [
        f"{FREEZE}\n{WRAP}",
        f"{WRAP}\n{FREEZE}\nmodel[0].scale.requires_grad = True",
        f"{WRAP}\nfor p in model[0].layer.parameters(): p.requires_grad = False",
        f"{WRAP}\nmodel[0].scale.requires_grad = False",
        f"{WRAP}\n{FREEZE}\nmodel.requires_grad_(True)",
    ],
)
def test_an_adapter_that_is_trained_or_frozen_by_itself_is_let_be(steps: str) -> None:
    assert rows(PROGRAM.format(steps), Pitfall.ADAPTER_FROZEN) == []
