"""Layers that a `forward` makes."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

STEPS = """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = net
        self.last = torch.nn.Linear(4, 1)

    def forward(self, given):
        {lines}

model = Model()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    fit((model(x) - y).square().mean())
"""

WRONG = "return self.last(torch.nn.Linear(1, 4)(self.net(given)))  # here"

RIGHT = {
    "made once": "return self.last(self.net(given).expand(-1, 4))",
    "constants": """layer = torch.nn.Linear(1, 4, bias=False)
        layer.weight.data.fill_(0.5)
        return self.last(layer(self.net(given)))""",
    "frozen": """layer = torch.nn.Linear(1, 4).requires_grad_(False)
        return self.last(layer(self.net(given)))""",
}


def test_a_layer_that_each_call_makes_is_told(tmp_path: Path) -> None:
    source = STEPS.format(lines=WRONG)
    assert told(source, tmp_path) == here("unregistered-parameter", source)


@pytest.mark.parametrize("name", RIGHT)
def test_layers_of_the_module_and_constants_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(STEPS.format(lines=RIGHT[name]), tmp_path) == []
