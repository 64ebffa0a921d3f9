"""Dropout that is not told the mode of the module that calls it."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

NET = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
    def forward(self, x):
        return torch.nn.functional.dropout(self.layer(x), {given}){mark}
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
fit((net(x) - y).square().mean())
{mode}
with torch.no_grad():
    print(net(x))
"""


def test_dropout_that_drops_in_evaluation_mode_is_told(tmp_path: Path) -> None:
    source = NET.format(given="0.5", mark="  # here", mode="net.eval()")
    assert told(source, tmp_path) == here("dropout-in-evaluation", source)


@pytest.mark.parametrize("given", ["0.5, self.training", "0.5, training=True", "0.0"])
def test_dropout_that_is_told_its_mode_is_quiet(given: str, tmp_path: Path) -> None:
    assert told(NET.format(given=given, mark="", mode="net.eval()"), tmp_path) == []


def test_a_layer_that_is_to_drop_in_evaluation_is_quiet(tmp_path: Path) -> None:
    source = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.dropout = torch.nn.Linear(2, 1), torch.nn.Dropout(0.5)
        def forward(self, x):
            return self.dropout(self.layer(x))
    net = Net().eval()
    net.dropout.train()
    with torch.no_grad():
        print(torch.stack([net(x) for _ in range(4)]).std(0))
    """
    assert told(source, tmp_path) == []


def test_dropout_in_training_mode_is_quiet(tmp_path: Path) -> None:
    assert told(NET.format(given="0.5", mark="", mode="net.train()"), tmp_path) == []


def test_what_a_method_calls_its_object_does_not_matter(tmp_path: Path) -> None:
    source = NET.format(given="0.5", mark="  # here", mode="net.eval()").replace("self", "this")
    assert told(source, tmp_path) == here("dropout-in-evaluation", source)
