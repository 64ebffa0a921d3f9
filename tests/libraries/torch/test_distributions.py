"""`torch.distributions`, and classes of the program that derive from it."""

from tests.vm.running import kinds

DIVERGENCE = """
from torch.distributions import Normal, kl_divergence
class Shifted(Normal):
    def shift(self):
        return self.loc
w = torch.ones(3, requires_grad=True)
kl_divergence({one}(w, 1.0), Normal(0.0, 1.0)).sum().backward()
torch.autograd.grad(kl_divergence(Normal(0.0, 1.0), {other}(0.0, 2.0)).sum(), w)
"""


def test_divergences_of_known_distributions() -> None:
    assert kinds(DIVERGENCE.format(one="Normal", other="Normal")) == ["no-grad-root"]


def test_nothing_is_known_of_the_programs_own_distributions() -> None:
    assert kinds(DIVERGENCE.format(one="Shifted", other="Shifted")) == []


def test_a_distribution_says_that_its_samples_are_not_differentiable() -> None:
    text = """
from torch.distributions import Poisson
d = Poisson(torch.ones(3, requires_grad=True))
if {asked}.has_rsample:
    d.rsample()
"""
    assert kinds(text.format(asked="d")) == kinds(text.format(asked="Poisson")) == []
