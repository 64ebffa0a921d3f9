"""Advantages that train the critic, whatever the log probabilities are gathered in."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

# The rule, and what is wrong: `# here` marks the line to be named.
WRONG = {
    "log probabilities of several steps": (
        "target-learns",
        """
        critic = torch.nn.Linear(2, 1)
        opt.add_param_group({"params": critic.parameters()})
        for _ in range(3):
            policy = torch.distributions.Normal(net(x).squeeze(-1), 1.0)
            actions = [policy.sample() for _ in range(2)]
            values = critic(x).squeeze(-1)
            weight = torch.stack([y.squeeze(-1) - values, 2 * y.squeeze(-1) - values])
            scores = torch.stack([policy.log_prob(one) for one in actions])
            loss = -(scores * weight).mean() + (values - y.squeeze(-1)).square().mean()  # here
            fit(loss)
        """,
    ),
    "a sum of log probabilities": (
        "target-learns",
        """
        critic = torch.nn.Linear(2, 1)
        opt.add_param_group({"params": critic.parameters()})
        for _ in range(3):
            policy = torch.distributions.Normal(net(x).squeeze(-1), 1.0)
            actions = [policy.sample() for _ in range(2)]
            values = critic(x).squeeze(-1)
            weight = torch.stack([y.squeeze(-1) - values, 2 * y.squeeze(-1) - values])
            scores = 0 + policy.log_prob(actions[0]) + policy.log_prob(actions[1])
            loss = -(scores * weight).mean() + (values - y.squeeze(-1)).square().mean()  # here
            fit(loss)
        """,
    ),
}

RIGHT = {
    "a weight that is learned beside the network": """
    rates = torch.nn.Parameter(torch.linspace(-2.0, -1.0, 4))
    opt.add_param_group({"params": [rates]})
    for _ in range(3):
        kept = (1 - rates.exp()).cumprod(0).unsqueeze(1)
        found = net(kept.sqrt() * x + (1 - kept).sqrt())
        error = (found - y).square().mean(1)
        loss = ((kept / (1 - kept)).squeeze(1) * error).mean()
        fit(loss)
    """,
    "the advantages are detached": """
    critic = torch.nn.Linear(2, 1)
    opt.add_param_group({"params": critic.parameters()})
    for _ in range(3):
        policy = torch.distributions.Normal(net(x).squeeze(-1), 1.0)
        actions = [policy.sample() for _ in range(2)]
        values = critic(x).squeeze(-1)
        weight = torch.stack([y.squeeze(-1) - values, 2 * y.squeeze(-1) - values])
        scores = torch.stack([policy.log_prob(one) for one in actions])
        loss = -(scores * weight.detach()).mean() + (values - y.squeeze(-1)).square().mean()
        fit(loss)
    """,
    "what is weighed is no log probability": """
    critic = torch.nn.Linear(2, 1)
    opt.add_param_group({"params": critic.parameters()})
    for _ in range(3):
        values = critic(x)
        loss = -(torch.stack([net(x), 2 * net(x)]) * (y - values)).mean()
        fit(loss + (values - y).square().mean())
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_the_product_is_told(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.parametrize("name", RIGHT)
def test_advantages_without_gradients_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []


SHARP = """
net = torch.nn.Linear(2, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    power = net(x).softmax(1) ** 2
    wanted = power / power.sum(1, keepdim=True){end}
    fit((net(x + 0.1).softmax(1) - wanted).square().mean())
"""


def test_a_sharpened_prediction_that_learns_is_told(tmp_path: Path) -> None:
    source = SHARP.format(end="  # here")
    assert told(source, tmp_path) == here("target-learns", source)


def test_a_sharpened_prediction_that_is_detached_is_quiet(tmp_path: Path) -> None:
    assert told(SHARP.format(end="\n    wanted = wanted.detach()"), tmp_path) == []


VALUES = """
for _ in range(3):
    values = net(torch.randn(5, 2)).squeeze(-1)
    {lines}
    fit(loss)
"""


def test_what_a_value_says_of_the_next_step_of_its_own_sequence_is_told(tmp_path: Path) -> None:
    source = VALUES.format(
        lines="""target = y.squeeze(-1) + 0.9 * values[1:]  # here
    loss = torch.nn.functional.mse_loss(values[:-1], target)"""
    )
    assert told(source, tmp_path) == here("target-learns", source)


@pytest.mark.parametrize(
    "lines",
    [
        "loss = (values[:-1] - (y.squeeze(-1) + 0.9 * values[1:].detach())).square().mean()",
        "loss = (values[1:] - (y.squeeze(-1) + 0.9 * values[:-1])).square().mean()",  # a recurrence
        "loss = (values[1:] - values[:-1]).square().mean()",  # smooth values
    ],
)
def test_sequences_that_are_compared_on_purpose_are_quiet(lines: str, tmp_path: Path) -> None:
    assert told(VALUES.format(lines=lines), tmp_path) == []
