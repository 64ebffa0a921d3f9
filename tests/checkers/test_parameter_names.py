"""What findings call a parameter: the path that leads to it."""

from textwrap import dedent

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Tanh())
    def forward(self, x):
        return self.body(x)

def loss(net):
    return net(torch.ones(1, 2)).sum()
"""
AT_MODULE_LEVEL = (
    "model = Net()\noptimizer = torch.optim.SGD(model.parameters(), 0.1)\nfor _ in range(3):\n"
    "    loss(model).backward()\n    optimizer.step()\n"
)
IN_A_FUNCTION = (
    "def train():\n    net = Net()\n    optimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
    "    for _ in range(3):\n        loss(net).backward()\n        optimizer.step()\ntrain()\n"
)
IN_AN_OBJECT = (
    "class Trainer:\n    def __init__(self):\n        self.net = Net()\n"
    "        self.optimizer = torch.optim.SGD(self.net.parameters(), 0.1)\n    def fit(self):\n"
    "        for _ in range(3):\n            loss(self.net).backward()\n"
    "            self.optimizer.step()\nTrainer().fit()\n"
)


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (AT_MODULE_LEVEL, "model.body.0.weight"),
        (IN_A_FUNCTION, "net.body.0.weight"),
        (IN_AN_OBJECT, "body.0.weight"),
    ],
)
def test_a_parameter_is_named_by_the_modules_around_it(program: str, name: str) -> None:
    faults = analyse(Source("program.py", dedent(NET) + program))
    told = [one.called for one in faults if one.kind is Pitfall.MISSING_ZERO_GRAD]
    assert told == [name]


def test_a_leaf_of_the_program_keeps_its_own_name() -> None:
    program = AT_MODULE_LEVEL.replace("model = Net()\n", "").replace("model.parameters()", "[w]")
    text = "import torch\nw = torch.ones(2, requires_grad=True)\n" + program.replace(
        "loss(model)", "w.sum()"
    )
    faults = analyse(Source("program.py", text))
    assert [one.called for one in faults if one.kind is Pitfall.MISSING_ZERO_GRAD] == ["w"]
