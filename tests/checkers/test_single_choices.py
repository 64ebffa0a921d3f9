"""Functions of one element that are constant, and what lies behind them alone."""

import pytest

from tests.vm.running import kinds

TEXT = """
import torch.nn.functional as F
net, head = nn.Linear(4, {outputs}), nn.Linear(4, 2)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(5, 4)
loss = {loss}
loss.backward()
optimizer.step()
"""
LOSSES = [
    "(F.softmax(net(x), dim=1) * head(x)).mean()",
    "(net(x).softmax(-1) * head(x)).mean()",
    "(nn.Softmax(dim=1)(net(x)) * head(x)).mean()",
    "F.cross_entropy(net(x), torch.zeros(5, dtype=torch.long)) + head(x).mean()",
]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_softmax_of_one_element_is_told(loss: str) -> None:
    assert kinds(TEXT.format(outputs=1, loss=loss)) == ["gradient-cut"]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_softmax_of_two_elements_is_quiet(loss: str) -> None:
    assert kinds(TEXT.format(outputs=2, loss=loss)) == []


def test_scores_that_are_used_otherwise_are_quiet() -> None:
    loss = "(net(x).softmax(-1) * head(x)).mean() + net(x).mean()"
    assert kinds(TEXT.format(outputs=1, loss=loss)) == []


def test_a_softmax_over_the_batch_is_quiet() -> None:
    loss = "(net(x).softmax(0) * head(x)).mean()"
    assert kinds(TEXT.format(outputs=1, loss=loss)) == []
