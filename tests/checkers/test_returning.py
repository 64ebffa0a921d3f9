"""Losses that functions give back without their graph."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.vm.running import kinds

PENALTY = """
def penalty(critic, real, fake, weight):
    x = (real + fake).requires_grad_(True)
    out = critic(x)
    (slope,) = torch.autograd.grad(out.sum(), x, {graph})
    slope = slope.view(slope.size(0), -1)
    return {result}
"""
METHOD = """
class Penalty:
    def __init__(self, critic):
        self.critic = critic
    def __call__(self, x):
        x.requires_grad_()
        slope = torch.autograd.grad(self.critic(x).sum(), x)[0]
        return ((slope.norm(2, dim=1) - 1) ** 2).mean()
"""
COPY = "def loss(out, y):\n    error = (out - y).abs(){reduced}\n    return {result}\n"


@pytest.mark.parametrize(
    ("result", "summed"),
    [
        ("((slope.norm(2, dim=1) - 1) ** 2).mean()", True),
        ("10 * slope.pow(2).sum()", True),
        ("weight * torch.mean(slope**2)", True),
        ("weight * torch.mean(slope**2).detach()", False),
        ("slope", False),
        ("slope.abs().mean(1)", False),
        ("weight * slope / slope.norm()", False),
    ],
)
def test_a_penalty_needs_the_graph_of_its_gradient(result: str, summed: bool) -> None:
    assert (kinds(PENALTY.format(graph="", result=result)) != []) is summed
    assert kinds(PENALTY.format(graph="create_graph=True", result=result)) == []


def test_a_penalty_of_an_object() -> None:
    assert kinds(METHOD) == [Pitfall.PENALTY_WITHOUT_GRAPH.value]


def test_gradients_of_parameters_are_looked_at() -> None:
    text = (
        "def slope(net, x):\n"
        "    grads = torch.autograd.grad(net(x).sum(), [*net.parameters()])\n"
        "    return torch.stack([g.pow(2).sum() for g in grads]).sum()\n"
    )
    assert kinds(text) == []


@pytest.mark.parametrize(
    ("reduced", "result", "copied"),
    [
        (".mean()", "torch.tensor(error.item(), requires_grad=True)", True),
        (".mean()", "torch.tensor(float(error), requires_grad=True)", True),
        (".mean()", "torch.tensor(error.item())", False),
        ("", "error.detach().clone().requires_grad_()", False),
    ],
)
def test_a_loss_made_of_a_number(reduced: str, result: str, copied: bool) -> None:
    found = kinds(COPY.format(reduced=reduced, result=result))
    assert (found == [Pitfall.LOSS_REBUILT.value]) is copied


SUMMED = """
def loss(out, y, z):
    loss = nn.functional.{first}(out, y)
    other = nn.functional.{second}(out, z)
    return loss {joined}
"""


@pytest.mark.parametrize(
    ("joined", "told"),
    [
        ("+ 0.1 * other.item()", True),
        ("+ float(other)", True),
        ("+ 0.1 * other", False),
        ("* other.item()", False),
        ("+ other.detach()", False),
    ],
)
def test_a_number_is_no_term_of_a_loss_that_is_given_back(joined: str, told: bool) -> None:
    text = SUMMED.format(first="mse_loss", second="l1_loss", joined=joined)
    assert (kinds(text) == ["constant-loss-term"]) is told


def test_what_is_no_loss_may_be_moved_by_a_number() -> None:
    text = SUMMED.format(first="normalize", second="l1_loss", joined="+ other.item()")
    assert kinds(text) == []


TEMPERATURE = """
class Agent:
    def __init__(self, optimizer, values):
        self.alpha = torch.as_tensor([1.0]).requires_grad_()
        self.optimizer = optimizer([self.alpha])

    def to(self, device):
        self.alpha = {made}.to(device).requires_grad_()

    def learn(self, entropy):
        self.optimizer.zero_grad()
        loss = (-self.alpha * entropy.detach()).mean()
        loss.backward()
        self.optimizer.step()
"""


def test_a_leaf_is_moved_by_a_copy() -> None:
    assert kinds(TEMPERATURE.format(made="self.alpha.detach()")) == []
    assert kinds(TEMPERATURE.format(made="self.alpha.exp().detach()")) == ["loss-rebuilt"]


def test_an_input_that_is_moved_along_its_gradient_is_no_penalty() -> None:
    text = (
        "def perturbed(net, x, y, eps):\n"
        "    adv = x.clone()\n"
        "    adv.requires_grad_()\n"
        "    grad = torch.autograd.grad(nn.functional.cross_entropy(net(adv), y), adv)[0]\n"
        "    adv = adv.detach() + 0.1 * grad.sign()\n"
        "    return torch.min(torch.max(adv, x - eps), x + eps)\n"
    )
    assert kinds(text) == []
