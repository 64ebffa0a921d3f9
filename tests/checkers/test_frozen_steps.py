"""Steps after a loss that was made while all that they move was frozen."""

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

HEAD = """\
import torch
from torch import nn

critic, maker = nn.Linear(2, 1), nn.Linear(3, 2)
of_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
of_maker = torch.optim.SGD(maker.parameters(), lr=0.1)

def train_critic():
    of_critic.zero_grad()
    critic(maker(torch.randn(4, 3)).detach()).mean().backward()
    of_critic.step()

def train_maker():
    of_maker.zero_grad()
    critic(maker(torch.randn(4, 3))).mean().backward()
    of_maker.step()

def penalise():
    real = torch.randn(4, 2, requires_grad=True)
    of_critic.zero_grad()
    (slope,) = torch.autograd.grad(critic(real).pow(2).sum(), real, create_graph=True)
    slope.pow(2).sum().backward()
    of_critic.step()
"""


def is_told(program: str) -> bool:
    """Whether an optimizer is told to find no gradient."""
    return Pitfall.NO_GRADIENTS in noted(program, HEAD)


ROUND = """
for _ in range(2):
    critic.requires_grad_(True)
    train_critic()
    critic.requires_grad_(False)
    train_maker()
    {}
    penalise()
"""


def test_a_step_for_a_loss_of_a_frozen_network_is_told() -> None:
    assert is_told(ROUND.format("pass"))


def test_a_step_of_what_was_switched_on_again_is_quiet() -> None:
    assert not is_told(ROUND.format("critic.requires_grad_(True)"))


def test_all_optimizers_stepping_in_one_place_are_quiet() -> None:
    program = """
    for critics_turn in (True, False, True, False):
        critic.requires_grad_(critics_turn)
        maker.requires_grad_(not critics_turn)
        of_critic.zero_grad()
        of_maker.zero_grad()
        critic(maker(torch.randn(4, 3))).mean().backward()
        for one in (of_critic, of_maker):
            one.step()
    """
    assert not is_told(program)


def test_a_step_beside_a_useful_one_is_quiet() -> None:
    program = """
    for _ in range(2):
        critic.requires_grad_(True)
        train_critic()
        critic.requires_grad_(False)
        train_maker()
        of_critic.step()
    """
    assert not is_told(program)
