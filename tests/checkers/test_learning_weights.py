"""Weights of log probabilities that a policy gradient takes for constant."""

import pytest

from tests.vm.running import kinds

LOSS = """
actor, critic = nn.Linear(2, 1), nn.Linear(2, 1)
optimizer = torch.optim.SGD([*actor.parameters(), *critic.parameters()], lr=0.1)
states = torch.randn(3, 4, 2)
values = [critic(one).squeeze(-1) for one in states]
dists = [torch.distributions.Normal(actor(one).squeeze(-1), 1.0) for one in states]
logs = [one.log_prob(torch.zeros(4)) for one in dists]
gains = [torch.ones(4) - value for value in values]
loss = -(torch.stack(logs) * {weight}).mean() + (torch.stack(values) - 1).pow(2).mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
"""


@pytest.mark.parametrize(
    "weight",
    [
        "torch.stack(gains)",
        "torch.stack([gains[0] + 0.9 * (gains[1] + 0.9 * gains[2]), gains[1], gains[2]])",
        "(torch.ones(4) - values[0])",
    ],
)
def test_advantages_that_are_made_of_values_train_the_critic(weight: str) -> None:
    assert kinds(LOSS.format(weight=weight)) == ["target-learns"]


@pytest.mark.parametrize(
    "weight",
    [
        "torch.stack(gains).detach()",
        "torch.stack([gain.detach() for gain in gains])",
        "torch.stack(values).exp()",
    ],
)
def test_what_is_cut_or_no_difference_is_quiet(weight: str) -> None:
    assert kinds(LOSS.format(weight=weight)) == []
