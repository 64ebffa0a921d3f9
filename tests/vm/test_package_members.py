"""What an outside package has under a name that the program computes."""

import pytest

from tests.vm.running import certain, kinds

STEP = """
def train(args):
    net = nn.Linear(2, 2)
    optimizer = {made}(net.parameters(), lr=0.1)
    result = net(torch.ones(1, 2)) @ net.weight
    result.sum().backward(retain_graph=True)
    optimizer.step()
    result.sum().backward()

train(options)
"""


@pytest.mark.parametrize(
    "made",
    [
        "getattr(torch.optim, args.name)",
        "torch.optim.__dict__[args.name]",
        "torch.optim.__dict__['Adam']",
    ],
)
def test_any_optimizer_writes_the_parameters(made: str) -> None:
    assert certain(STEP.format(made=made)) == ["saved-tensor-modified"]


def test_what_a_package_of_many_kinds_gives_is_not_known() -> None:
    text = "def f(x, name):\n    y = getattr(torch, name)(x)\n    x.mul_(2)\n    y.backward()\n"
    assert kinds(text) == []
