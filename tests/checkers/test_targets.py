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
