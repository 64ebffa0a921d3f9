"""Losses that compare nothing but predictions with what they predict."""

import pytest

from tests.vm.running import kinds

TEXT = """
import torch.nn.functional as F
encoder, predictor = nn.Linear(4, 3), nn.Linear(3, 3)
z1, z2 = encoder(torch.randn(5, 4)), encoder(torch.randn(5, 4))
loss = {loss}
loss.backward()
"""


@pytest.mark.parametrize(
    "loss",
    [
        "F.mse_loss(predictor(z1), z2)",
        "-F.cosine_similarity(predictor(z1), z2).mean()",
        "(predictor(z1) - z2).pow(2).sum()",
        "2 - (predictor(z1) * z2).sum(-1).mean()",
        "sum([F.mse_loss(predictor(z1), z2), F.mse_loss(predictor(z2), z1)]) / 2",
    ],
)
def test_a_loss_that_is_least_for_constant_results_is_told(loss: str) -> None:
    assert kinds(TEXT.format(loss=loss)) == ["target-learns"]


@pytest.mark.parametrize(
    "loss",
    [
        "F.mse_loss(predictor(z1), z2.detach())",
        "F.mse_loss(predictor(z1), z2) + z1.std()",
        "F.mse_loss(predictor(z1), z1)",
        "F.mse_loss(encoder(torch.ones(5, 4)), z2)",
        "predictor(z1).mean() - z2.mean()",
        "(z2.mean(1) * F.mse_loss(predictor(z1), z1.detach(), reduction='none').mean(1)).mean()",
    ],
)
def test_any_other_loss_is_quiet(loss: str) -> None:
    assert kinds(TEXT.format(loss=loss)) == []


def test_the_value_of_what_a_policy_does_later_is_no_prediction_of_the_value() -> None:
    program = """
import torch.nn.functional as F
actor, critic = nn.Linear(3, 2), nn.Linear(5, 1)
now, action, later = torch.randn(4, 3), torch.randn(4, 2), torch.randn(4, 3)
wanted = critic(torch.cat([later, actor(later)], 1))
F.mse_loss(critic(torch.cat([now, action], 1)), wanted).backward()
"""
    assert kinds(program) == []


def test_a_leaf_is_no_target_that_a_network_computes() -> None:
    program = """
query, values = (torch.randn(n, 3, requires_grad=True) for n in (1, 4))
weights = (query.repeat(4, 1) * values).sum(1).softmax(0)
(query * (weights.unsqueeze(1) * values).sum(0)).sum().backward()
"""
    assert kinds(program) == []


RETURNED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.things, self.relations = nn.Embedding(9, 3), nn.Embedding(4, 3)
        self.things.weight.data = self.things.weight.data * 2

    def forward(self, x, y, r):
        near = torch.abs(self.things(x) + self.relations(r) - self.things(y)).{reduced}
        return near, near * 2
"""


@pytest.mark.parametrize(
    ("reduced", "found"), [("mean()", True), ("sum(1)", False), ("norm(dim=-1)", False)]
)
def test_distances_that_a_module_returns_are_no_loss(reduced: str, found: bool) -> None:
    told = kinds(RETURNED.format(reduced=reduced))
    assert ("target-learns" in told) is found
