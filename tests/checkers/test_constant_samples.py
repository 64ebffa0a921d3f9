"""Terms of a loss that are computed from a sample, and so have no gradient."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

TEXT = """
mean = model(torch.randn(3, 4))
policy = torch.distributions.Normal(mean, 1.0)
action = policy.sample()
reward = -(action - 1.0).pow(2).mean()
loss = {loss}
optimizer.zero_grad()
loss.backward()
optimizer.step()
"""


def is_told(loss: str) -> bool:
    """Whether a loss is told to have a constant term."""
    return Pitfall.CONSTANT_TERM in noted(TEXT.format(loss=loss))


@pytest.mark.parametrize(
    "loss",
    [
        "policy.entropy().mean() - reward",
        "-(reward + 0.1 * policy.entropy().mean())",
        "mean.pow(2).mean() - reward",
    ],
)
def test_a_sample_that_nothing_scores_is_told(loss: str) -> None:
    assert is_told(loss)


@pytest.mark.parametrize(
    "loss",
    [
        "-(policy.log_prob(action).mean() + reward)",
        "(mean - action).pow(2).mean() - reward",
        "(mean.exp().log() - reward).mean()",
        "F.mse_loss(mean, action) - reward",
    ],
)
def test_a_sample_that_a_loss_scores_is_quiet(loss: str) -> None:
    assert not is_told(loss)


def test_a_sample_that_loses_a_graph_of_zeros_is_no_constant_term() -> None:
    text = TEXT.replace("policy.sample()", "torch.normal(mean, 1.0).data")
    assert Pitfall.CONSTANT_TERM not in noted(text.format(loss="mean.pow(2).mean() - reward"))
