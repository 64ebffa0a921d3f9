"""Weights of log probabilities that a policy gradient takes for constant."""

import pytest

from autograd_lint.engine.assumptions import Kind
from tests.vm.running import faults, kinds

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


UPDATE = """
def update(net, optimizer, states, actions, before, gains):
    for _ in range(4):
        dist, value = net(states)
        weight = gains - value.squeeze(-1)
        ratio = (dist.log_prob(actions) - before).exp()
        policy = -torch.min(ratio * {weight}, ratio.clamp(0.8, 1.2) * {weight}).mean()
        error = (gains - value.squeeze(-1)).pow(2).mean()
        optimizer.zero_grad()
        (policy + 0.5 * error).backward()
        optimizer.step()
"""


def test_an_advantage_of_a_network_of_which_nothing_is_known_is_told_once() -> None:
    (fault,) = faults(UPDATE.format(weight="weight"))
    assert fault.kind.value == "target-learns"
    assert {why.kind for why in fault.assumptions} == {Kind.TERM_OF_LOSS}
    assert not faults(UPDATE.format(weight="weight.detach()"))


EPISODES = """
def learn(policy, critic, optimizer, states, actions, returns):
    for _ in range(4):
        logs = torch.stack([policy(one).log_prob(action) for one, action in zip(states, actions)])
        values = torch.cat([critic(one) for one in states])
        gains = (returns - values){cut}
        optimizer.zero_grad()
        (-(logs * gains).sum() + (values - returns).pow(2).mean()).backward()
        optimizer.step()
"""


@pytest.mark.parametrize(("cut", "found"), [("", ["target-learns"]), (".detach()", [])])
def test_a_distribution_that_unknown_code_gives_scores_actions(cut: str, found: list[str]) -> None:
    assert kinds(EPISODES.format(cut=cut)) == found


GIVEN_RETURNS = """
def learn(states, actions, returns):
    policy, critic = nn.Linear(3, 3), nn.Linear(3, 1)
    optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()])
    for _ in range(4):
        logs = torch.distributions.Categorical(logits=policy(states)).log_prob(actions)
        values = critic(states).squeeze(-1)
        gains = returns - values
        optimizer.zero_grad()
        (-(logs * gains).sum() + nn.functional.mse_loss(values, returns)).backward()
        optimizer.step()
"""


def test_that_data_might_have_a_graph_hides_no_advantage() -> None:
    assert "target-learns" in kinds(GIVEN_RETURNS)
