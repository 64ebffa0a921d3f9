"""Gradients that are added to a sum, batch by batch."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

PILE = Pitfall.GRADIENTS_PILE_UP
FISHER = """
def importance(net, batches):
    found = {{n: torch.zeros_like(p) for n, p in net.named_parameters()}}
    for x, y in batches:
        {}
        F.mse_loss(net(x), y).backward()
        {}
        for n, p in net.named_parameters():
            found[n] += p.grad ** 2
    return found

net = copy.deepcopy(model)
importance(net, loader)
"""


def test_gradients_that_are_gathered_and_not_cleared_pile_up() -> None:
    assert rows(FISHER.format("pass", "pass"), PILE) == [6]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("net.zero_grad()", "pass"),
        ("for p in net.parameters(): p.grad = None", "pass"),
        ("pass", "optimizer = torch.optim.SGD(net.parameters(), 0.1); optimizer.step()"),
    ],
)
def test_gradients_that_are_cleared_or_stepped_with_do_not(before: str, after: str) -> None:
    assert rows(FISHER.format(before, after), PILE) == []
