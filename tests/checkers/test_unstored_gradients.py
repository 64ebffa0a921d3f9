"""Steps whose gradients `autograd.grad` has handed out, and nobody has stored."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

HEAD = """\
import torch
from torch import nn

net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
"""

LOOP = """
for x in torch.randn(3, 4, 2):
    loss = net(x).mean()
    found = torch.autograd.grad(loss, {asked})
    {stored}
    optimizer.step()
    optimizer.zero_grad()
"""


def is_told(asked: str = "list(net.parameters())", stored: str = "pass") -> bool:
    return Pitfall.NO_GRADIENTS in noted(LOOP.format(asked=asked, stored=stored), HEAD)


def test_nobody_stores_what_was_handed_out() -> None:
    assert is_told()


@pytest.mark.parametrize(
    "stored",
    [
        "net.weight.grad, net.bias.grad = found",
        "net.weight.grad = found[0]",
        "for p, g in zip(net.parameters(), found): p.grad = g",
        "net(x).mean().backward()",
    ],
)
def test_gradients_that_are_stored_are_used(stored: str) -> None:
    assert not is_told(stored=stored)


def test_a_part_of_the_gradients_is_wanted_for_something_else() -> None:
    assert not is_told("[net.weight]")
