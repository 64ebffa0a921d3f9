"""Samples that move with their distribution, and are scored by it."""

import pytest

from tests.vm.running import kinds

TEXT = """
from torch.distributions import Normal
policy, critic = nn.Linear(2, 1), nn.Linear(1, 1)
reward = torch.ones(3, 1)
normal = Normal(policy(torch.ones(3, 2)), 1.0)
action = {sample}
log_prob = normal.log_prob({scored})
loss = {loss}
loss.mean().backward()
"""


def text(loss: str, sample: str = "normal.rsample()", scored: str = "action") -> str:
    """A program with a loss of a sample."""
    return TEXT.format(sample=sample, scored=scored, loss=loss)


@pytest.mark.parametrize(
    "loss",
    [
        "-log_prob * reward",
        "(reward[:, 0] - 1) * log_prob.squeeze(-1)",
        "-(log_prob * torch.tensor(2.0))",
    ],
)
def test_a_weighed_score_of_a_moving_sample_is_told(loss: str) -> None:
    assert kinds(text(loss)) == ["sample-scored"]


def test_a_constant_sample_is_quiet() -> None:
    assert kinds(text("-log_prob * reward", sample="normal.sample()")) == []
    assert kinds(text("-log_prob * reward", scored="action.detach()")) == []


def test_what_the_sample_leads_to_may_be_meant() -> None:
    assert kinds(text("0.2 * log_prob - critic(action)")) == []


@pytest.mark.parametrize(
    "loss", ["log_prob.mean()", "0.2 * log_prob", "reward.new_tensor(0.2) * log_prob - reward"]
)
def test_an_entropy_of_samples_is_quiet(loss: str) -> None:
    assert kinds(text(loss)) == []


def test_the_score_of_another_distribution_is_quiet() -> None:
    program = text("-Normal(critic(reward), 1.0).log_prob(action) * reward")
    assert kinds(program) == []
