"""Objects of the program that are handed to unknown code."""

import pytest

from autograd_lint.engine.faults import FaultKind
from tests.vm.running import kinds

LOSS = """
from elsewhere import network

class Loss:
    def __init__(self):
        self.total = 0.0

    {method}

def step(x):
    loss = Loss()
    {call}
    loss.total.backward()
"""
ADDS = "def add(self, a): self.total += a.mean()"


@pytest.mark.parametrize("call", ["network(x, loss)", "network(x, options={'loss': loss})"])
def test_what_its_methods_set_may_be_something_else(call: str) -> None:
    assert kinds(LOSS.format(method=ADDS, call=call)) == []


def test_what_nothing_sets_stays_what_it_is() -> None:
    numbers = [FaultKind.NO_GRAD_ROOT.value]
    assert kinds(LOSS.format(method="pass", call="network(x, loss)")) == numbers
    assert kinds(LOSS.format(method=ADDS, call="network(x)")) == numbers


def test_what_an_operator_makes_of_an_object_is_not_known() -> None:
    text = "class Critic(nn.Module): pass\n(-torch.mean(Critic())).backward()\n"
    assert kinds(text) == []
