"""Samples that a loss computes with, whose distribution only another term of it trains."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

HEAD = """\
import torch
from torch import nn
from torch.distributions import Categorical, Normal
import torch.nn.functional as F

encoder, decoder, critic = nn.Linear(4, 2), nn.Linear(2, 4), nn.Linear(2, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
x = torch.randn(3, 4)
mean = encoder(x)
"""


def is_told(program: str) -> bool:
    """Whether a program is told to use a sample that nothing goes through."""
    return Pitfall.SAMPLE_WITHOUT_GRADIENT in noted(program, HEAD)


@pytest.mark.parametrize(
    "draw",
    [
        "torch.normal(mean, 1.0)",
        "2 * torch.normal(mean, torch.ones_like(mean)).view(3, 2)",
        "Normal(mean, 1.0).sample()",
        "torch.bernoulli(positive)",
        "torch.poisson(positive)",
    ],
)
def test_a_sample_that_is_decoded_is_told(draw: str) -> None:
    loss = "F.mse_loss(decoder(z), x) + positive.sum() + mean.pow(2).sum()"
    assert is_told(f"positive = mean.sigmoid()\nz = {draw}\n({loss}).backward()")


@pytest.mark.parametrize(
    "program",
    [
        "z = torch.normal(mean, 1.0)\n(z - mean).pow(2).sum().backward()",
        "z = torch.normal(mean, 1.0)\n((-z + 1 + mean).pow(2) + critic(z)).sum().backward()",
        "p = Normal(mean, 1.0)\nz = p.sample()\n(p.log_prob(z) * critic(z)).sum().backward()",
        "p = mean.sigmoid()\nz = torch.bernoulli(p).detach() + p - p.detach()\n"
        "(decoder(z).sum() + p.sum()).backward()",
        "z = F.one_hot(Categorical(logits=mean).sample(), 2).float()\n"
        "(decoder(z).sum() + mean.sum()).backward()",
        "with torch.no_grad():\n    z = torch.normal(encoder(x), 1.0)\n"
        "(decoder(z).sum() + mean.sum()).backward()",
        "z = torch.normal(mean.detach(), 1.0)\n(decoder(z).sum() + mean.sum()).backward()",
    ],
)
def test_a_sample_that_is_scored_or_meant_as_a_constant_is_quiet(program: str) -> None:
    assert not is_told(program)


def test_a_sample_whose_distribution_this_backward_does_not_train_is_quiet() -> None:
    assert not is_told("z = Normal(mean, 1.0).sample()\ncritic(z).sum().backward()")


DRAWN = "std = mean.exp()\nz = {draw}\n"


@pytest.mark.parametrize(
    "draw",
    [
        "mean + std * torch.randn_like(std)",
        "torch.randn(3, 2) * std + mean",
        "Normal(mean, std).rsample()",
    ],
)
def test_a_sample_with_a_gradient_that_is_only_used_cut_off_is_told(draw: str) -> None:
    drawn = DRAWN.format(draw=draw)
    assert is_told(drawn + "(decoder(z.detach()).sum() + mean.pow(2).sum() + std.sum()).backward()")
    assert not is_told(drawn + "(decoder(z).sum() + mean.pow(2).sum()).backward()")


@pytest.mark.parametrize(
    "uses",
    [
        "(decoder(z).sum() + critic(z.detach()).sum() + mean.sum()).backward()",
        "((z.detach() - mean).pow(2).sum() + std.sum() + critic(x[:, :2]).sum()).backward()",
        "decoder(z.detach()).sum().backward()\nmean.sum().backward()",
        "(decoder(z.detach()).sum() + mean.sum()).backward(retain_graph=True)\nz.sum().backward()",
    ],
)
def test_a_sample_that_is_used_or_scored_elsewhere_may_be_cut_off(uses: str) -> None:
    assert not is_told(DRAWN.format(draw="mean + std * torch.randn_like(std)") + uses)


CODE = """
from zoo import Encoder, Decoder
first, last = Encoder(2), Decoder(2)
steps = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
mu, spread = first(x)
z = torch.normal(mu, spread.exp())
(F.mse_loss({loss}, x) + mu.pow(2).mean() + spread.exp().mean()).backward()
steps.step()
"""


def test_a_network_of_an_unknown_class_that_is_given_the_sample_alone_does_not_score_it() -> None:
    assert is_told(CODE.format(loss="last(z)"))
    assert not is_told(CODE.format(loss="last(z, mu)"))
