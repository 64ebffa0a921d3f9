"""Plain leaves among the attributes of a module: forgotten parameters, or none at all."""

import pytest

from tests.vm.running import certain, kinds

NET = """
class Net(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale
        self.lin = nn.Linear(2, 2)

    def forward(self, x):
        return self.lin(x) * self.scale

scale = torch.ones(2, requires_grad=True){moved}
net = Net(scale)
loss = net(torch.randn(3, 2)).sum()
{asked}
"""
ASKED = [
    "loss.backward()\nprint(scale.grad)",
    "print(torch.autograd.grad(loss, [scale]))",
    "print(torch.autograd.grad(loss, net.scale, create_graph=True))",
]


@pytest.mark.parametrize("asked", ASKED)
def test_a_leaf_whose_gradient_is_asked_for_is_known(asked: str) -> None:
    assert kinds(NET.format(moved="", asked=asked)) == []


def test_one_that_was_moved_is_known_as_well() -> None:
    assert kinds(NET.format(moved=".cuda()\nscale.retain_grad()", asked=ASKED[0])) == []


def test_a_leaf_of_which_nobody_asks_is_forgotten() -> None:
    asked = "loss.backward()\nprint(net.lin.weight.grad)"
    assert certain(NET.format(moved="", asked=asked)) == ["unregistered"]


STAND_IN = """
class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = None

    def forward(self, x):
        b, s = x.shape
        if {test}:
            self.hidden = torch.randn({sizes}, requires_grad=True)
        return self.hidden * x

Body()(torch.randn(2, 3)).sum().backward()
"""


@pytest.mark.parametrize(
    "test", ["self.hidden is None or self.hidden.shape != (b, s)", "b != self.hidden.size(0)"]
)
def test_what_is_made_anew_for_other_inputs_is_no_parameter(test: str) -> None:
    assert kinds(STAND_IN.format(test=test, sizes="b, s")) == []


def test_what_is_made_once_is_one() -> None:
    text = STAND_IN.format(test="self.hidden is None", sizes="2, 3")
    assert kinds(text) == ["unregistered"]


def test_what_is_made_in_the_likeness_of_an_input_is_none() -> None:
    text = STAND_IN.format(test="self.hidden is None", sizes="2, 3")
    text = text.replace("torch.randn(2, 3, requires", "torch.randn_like(x, requires")
    assert "randn_like" in text
    assert kinds(text) == []


BUFFER = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        {zero}

    def forward(self, x):
        loss = self.zero
        loss.requires_grad_()
        return self.lin(x).sum() + loss

Net()(torch.randn(3, 2)).backward()
"""


@pytest.mark.parametrize(
    ("zero", "found"),
    [
        ("self.register_buffer('zero', torch.tensor(0.0))", []),
        ("self.zero = torch.tensor(0.0)", ["unregistered"]),
    ],
)
def test_a_buffer_is_registered(zero: str, found: list[str]) -> None:
    assert kinds(BUFFER.format(zero=zero)) == found


SEARCHED = """
from torch.autograd import Variable

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.scale = Variable(torch.ones(2), requires_grad=True)
        self.searched = {held}

    def parts(self):
        return self.searched

    def forward(self, x):
        return self.lin(x) * self.scale

net = Net()
net(torch.randn(3, 2)).sum().backward()
torch.optim.SGD(net.parameters(), lr=0.1).step()
"""


def test_a_variable_is_forgotten_as_any_other_leaf() -> None:
    assert certain(SEARCHED.format(held="[]")) == ["unregistered"]


@pytest.mark.parametrize("held", ["[self.scale]", "{'scale': self.scale}"])
def test_one_that_the_module_gives_out_in_a_container_is_not(held: str) -> None:
    assert kinds(SEARCHED.format(held=held)) == []
