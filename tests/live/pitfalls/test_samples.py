"""Samples without a gradient that the layers of a loss are applied to."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

SETUP = """
decoder, prior = torch.nn.Linear(1, 2), torch.distributions.Normal(torch.zeros(4, 1), 1.0)
opt.add_param_group({"params": decoder.parameters()})
def encoded():
    return torch.distributions.Normal(net(x), net(x).exp())
"""

WRONG = {
    "sample() of a distribution": f"""
{SETUP}
for _ in range(3):
    code = encoded()
    z = code.sample()  # here
    fit((decoder(z) - x).square().mean() + torch.distributions.kl_divergence(code, prior).mean())
""",
    "torch.normal": f"""
{SETUP}
for _ in range(3):
    code = encoded()
    z = torch.normal(code.loc, code.scale)  # here
    fit((decoder(z) - x).square().mean() + torch.distributions.kl_divergence(code, prior).mean())
""",
}

RIGHT = {
    "rsample()": f"""
{SETUP}
for _ in range(3):
    code = encoded()
    z = code.rsample()
    fit((decoder(z) - x).square().mean() + torch.distributions.kl_divergence(code, prior).mean())
""",
    "a policy and its critic": f"""
{SETUP}
for _ in range(3):
    policy = encoded()
    action = policy.sample()
    value = decoder(action)
    gain = (value.detach() - y).mean(1, keepdim=True)
    fit((value - y).square().mean() - (policy.log_prob(action) * gain).mean())
""",
    "a sample that trains the decoder alone": f"""
{SETUP}
for _ in range(3):
    with torch.no_grad():
        z = encoded().sample()
    fit((decoder(z) - x).square().mean())
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_samples_that_only_layers_take_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("sample-without-gradient", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_samples_that_are_scored_or_have_a_gradient_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
