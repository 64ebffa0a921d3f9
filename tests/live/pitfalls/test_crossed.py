"""Losses of tensors of the shapes (n, 1) and (n,)."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "a mean of squares": """
wanted = y.squeeze(1)
for _ in range(2):
    error = net(x) - wanted  # here
    fit(error.square().mean())
""",
    "the target first, and an activation": """
for _ in range(2):
    error = y.squeeze(1) - net(x).sigmoid()  # here
    fit(3 * error.abs().sum())
""",
    "ratios that are weighted by a column": """
actor = torch.nn.Linear(2, 3)
opt = torch.optim.SGD(actor.parameters(), lr=0.1)
chosen = torch.tensor([0, 1, 2, 0])
with torch.no_grad():
    old = torch.distributions.Categorical(logits=actor(x)).log_prob(chosen)
weight = (y - y.mean()) / y.std()
for _ in range(2):
    ratio = (torch.distributions.Categorical(logits=actor(x)).log_prob(chosen) - old).exp()
    gain = ratio * weight  # here
    fit(-gain.mean())
""",
}

RIGHT = {
    "the same shape": """
for _ in range(2):
    fit((net(x) - y).square().mean())
    fit((net(x).squeeze(1) - y.squeeze(1)).square().mean())
""",
    "ratios that are weighted one by one": """
actor = torch.nn.Linear(2, 3)
opt = torch.optim.SGD(actor.parameters(), lr=0.1)
chosen = torch.tensor([0, 1, 2, 0])
for step in range(2):
    score = torch.distributions.Categorical(logits=actor(x)).log_prob(chosen)
    fit(-((1 + step) * score * (y - y.mean()).squeeze(1)).mean())
""",
    "all pairs of a sum and of what was given a dimension": """
for _ in range(2):
    total = (net(x) * x).sum(1)
    fit((total * x.sum(1)[:, None]).mean())
""",
    "frequencies of a column": """
rate = torch.nn.Parameter(torch.rand(4))
opt.add_param_group({"params": [rate]})
for _ in range(2):
    fit((rate * (y - 1)).square().mean() + net(x).square().mean())
""",
    "distances of all pairs": """
for _ in range(2):
    out = net(x).squeeze(1)
    fit((out[:, None] - y.squeeze(1)).square().mean())
""",
    "what becomes no loss by itself": """
for _ in range(2):
    near = (-(net(x) - y.squeeze(1)).square()).softmax(1)
    fit((near @ y).square().mean())
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_pairs_of_each_with_each_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("crossed-shapes", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_pairs_that_are_meant_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
