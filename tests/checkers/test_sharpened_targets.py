"""Targets that are made of what they are compared with."""

import pytest

from tests.vm.running import kinds

CLUSTERING = """
import torch.nn.functional as F

def sharpened(q):
    weights = q ** 2 / q.sum(0)
    return (weights.t() / weights.sum(1)).t()

def train(model, loader, optimizer):
    for x in loader:
        q, other = model(x), model(x + 1)
        loss = {}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    "loss", ["F.kl_div(q.log(), sharpened(q))", "nn.KLDivLoss()(q.log(), sharpened(q))"]
)
def test_a_target_that_is_a_power_of_the_values_themselves_learns(loss: str) -> None:
    assert kinds(CLUSTERING.format(loss)) == ["target-learns"]
    assert kinds(CLUSTERING.format(loss.replace("d(q)", "d(q).detach()"))) == []


@pytest.mark.parametrize(
    "loss",
    [
        "F.kl_div(q.log(), (q + other) / 2)",
        "F.mse_loss(q, sharpened(q))",
        "F.mse_loss(q.pow(2), x)",
    ],
)
def test_other_terms_of_the_same_values_are_no_such_targets(loss: str) -> None:
    assert kinds(CLUSTERING.format(loss)) == []


CONSISTENCY = """
import torch.nn.functional as F

def guess(model, x):
    sharp = model(x).softmax(1) ** 2
    return sharp / sharp.sum(1, keepdim=True)

model, other = nn.Linear(4, 3), nn.Linear(4, 3)
optimizer = torch.optim.SGD([*model.parameters(), *other.parameters()], 0.1)
for x in torch.randn(9, 5, 4):
    target = guess({network}, x + 0.1)
    predicted = model(x)
    loss = {loss}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
LOSSES = [
    "(predicted.softmax(1) - target).square().mean()",
    "F.mse_loss(predicted.softmax(1), target)",
    "-(target * predicted.log_softmax(1)).sum(1).mean()",
    "F.kl_div(predicted.log_softmax(1), target)",
]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_normalized_power_of_another_output_learns_as_a_target(loss: str) -> None:
    assert kinds(CONSISTENCY.format(network="model", loss=loss)) == ["target-learns"]
    cut = loss.replace("target", "target.detach()")
    assert kinds(CONSISTENCY.format(network="model", loss=cut)) == []


@pytest.mark.parametrize(
    ("network", "loss"),
    [
        ("other", LOSSES[0]),
        ("model", "(predicted.softmax(1) * target).sum()"),
        ("model", "(target - target.mean()).square().mean() + predicted.mean()"),
    ],
)
def test_such_a_power_is_a_target_only_of_the_network_that_it_comes_from(
    network: str, loss: str
) -> None:
    assert kinds(CONSISTENCY.format(network=network, loss=loss)) == []
