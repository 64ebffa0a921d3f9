"""Classes that the constructor of an object is given by callers in its file."""

import pytest

from tests.vm.running import kinds

NET = """
class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.lift = nn.Linear(size, size)

    def forward(self, x):
        return torch.{activation}(self.lift(x))

class Net(nn.Module):
    def __init__(self, block, size):
        super().__init__()
        self.stem = block(size)

    def forward(self, x):
        x = self.stem(x)
        x *= 2
        return x

{callers}
"""
DIRECTLY = "def net3():\n    return Net(Block, 3)\n"
HANDED_ON = (
    "def net(kind, size):\n    return Net(kind, size)\n\ndef net3():\n    return net(Block, 3)\n"
)


@pytest.mark.parametrize("callers", [DIRECTLY, HANDED_ON])
def test_a_network_is_made_of_what_callers_give_it(callers: str) -> None:
    assert kinds(NET.format(activation="tanh", callers=callers)) == ["saved-tensor-modified"]
    assert kinds(NET.format(activation="sin", callers=callers)) == []


@pytest.mark.parametrize("callers", ["", "def net3():\n    return Net(missing.Block, 3)\n"])
def test_of_what_nobody_gives_nothing_is_known(callers: str) -> None:
    assert kinds(NET.format(activation="tanh", callers=callers)) == []


LAYER = """
class Net(nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.lift = nn.Linear(3, 3)
        self.activation = activation()

    def forward(self, x):
        x = self.activation(self.lift(x))
        x *= 2
        return x

def net():
    return Net(nn.{layer})
"""


@pytest.mark.parametrize(("layer", "found"), [("Sigmoid", ["saved-tensor-modified"]), ("SiLU", [])])
def test_it_may_be_a_layer_of_torch(layer: str, found: list[str]) -> None:
    assert kinds(LAYER.format(layer=layer)) == found
