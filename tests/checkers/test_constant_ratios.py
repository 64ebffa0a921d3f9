"""Ratios of probabilities of one policy and itself."""

from pathlib import Path

import pytest

from autograd_lint import check
from tests.vm.running import kinds

UPDATE = """
from torch.distributions import Categorical
states, wanted = torch.randn(8, 4), torch.randn(8)
policy = nn.Sequential(nn.Linear(4, 8), {layer}, nn.Linear(8, 2))
optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
actions = Categorical(logits=policy(states)).sample()
{before}
for _ in range(5):
    {drawn}
    new = Categorical(logits=policy(states)).log_prob(actions)
    {old}
    ratio = (new - old).exp()
    optimizer.zero_grad()
    (-ratio * wanted).mean().backward()
    optimizer.step()
"""
OLD = "old = Categorical(logits=policy(states)).log_prob(actions).detach()"
PARTS = {"layer": "nn.Tanh()", "before": "pass", "drawn": "pass", "old": "pass"}
DRAWN = "actions = Categorical(logits=policy(states)).sample()"


def test_an_old_probability_that_is_computed_anew_after_each_step_is_told() -> None:
    assert kinds(UPDATE.format(**{**PARTS, "old": OLD})) == ["ratio-always-one"]


@pytest.mark.parametrize(
    "parts",
    [
        {"before": OLD},
        {"old": "old = new.detach()"},
        {"old": OLD, "drawn": DRAWN},
        {"old": OLD, "layer": "nn.Dropout()"},
    ],
)
def test_an_old_probability_of_another_policy_or_of_new_actions_is_not(
    parts: dict[str, str],
) -> None:
    assert "ratio-always-one" not in kinds(UPDATE.format(**{**PARTS, **parts}))


def test_the_file_that_computes_it_may_be_imported(tmp_path: Path) -> None:
    body = UPDATE.format(**{**PARTS, "old": OLD}).strip().replace("\n", "\n    ")
    heads = "import torch\nfrom torch import nn\n"
    (tmp_path / "update.py").write_text(f"{heads}def update():\n    {body}\n", encoding="utf-8")
    script = tmp_path / "train.py"
    script.write_text(f"{heads}from update import update\nupdate()\n", encoding="utf-8")
    assert [one.code for one in check([script], isolated=True)] == ["AG439"]
