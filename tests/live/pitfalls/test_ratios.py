"""Ratios of probabilities that are always one."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "both of the policy as it is": """
action = torch.randn(4, 1)
for _ in range(4):
    old = torch.distributions.Normal(net(x), 0.5).log_prob(action)
    new = torch.distributions.Normal(net(x), 0.5).log_prob(action)
    difference = new - old  # here
    fit(-(difference.exp() * y).mean() + (net(x) - y).square().mean())
""",
    "the old one without a graph, in each epoch": """
action = torch.randn(4, 1)
for _ in range(4):
    with torch.no_grad():
        old = torch.distributions.Normal(net(x), 0.5).log_prob(action)
    new = torch.distributions.Normal(net(x), 0.5).log_prob(action)
    ratio = (new - old).exp()  # here
    fit(-torch.min(ratio * y, ratio.clamp(0.8, 1.2) * y).mean())
""",
}

RIGHT = {
    "the old one is kept": """
action = torch.randn(4, 1)
with torch.no_grad():
    old = torch.distributions.Normal(net(x), 0.5).log_prob(action)
for _ in range(4):
    new = torch.distributions.Normal(net(x), 0.5).log_prob(action)
    fit(-((new - old).exp() * y).mean())
""",
    "one epoch for each batch": """
weights = torch.randn(4, 1)
for _ in range(4):
    action = torch.randn(4, 1)
    weights.normal_()
    with torch.no_grad():
        old = torch.distributions.Normal(net(x), 0.5).log_prob(action)
    new = torch.distributions.Normal(net(x), 0.5).log_prob(action)
    fit(-((new - old).exp() * weights).mean())
""",
    "a gradient by way of one": """
action = torch.randn(4, 1)
for _ in range(4):
    new = torch.distributions.Normal(net(x), 0.5).log_prob(action)
    fit(-((new - new.detach()).exp() * y).mean())
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_ratios_of_a_policy_to_itself_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("ratio-always-one", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_ratios_that_move_or_are_meant_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
