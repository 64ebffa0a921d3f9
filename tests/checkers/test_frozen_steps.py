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


TURNS = """
class Turns:
    def __init__(self, rate):
        self.critic, self.maker = nn.Linear(2, 1), nn.Linear(3, 2)
        self.of_critic = torch.optim.SGD(self.critic.parameters(), lr=rate)
        self.of_maker = torch.optim.SGD(self.maker.parameters(), lr=rate)

    def freeze(self, net, frozen):
        for parameter in net.parameters():
            parameter.requires_grad = not frozen

    def train_maker(self, noise):
        self.freeze(self.critic, True)
        self.of_maker.zero_grad()
        self.critic(self.maker(noise)).mean().backward()
        self.of_maker.step()

    def train_critic(self, real, noise):
        {unfreezing}
        self.of_critic.zero_grad()
        (self.critic(self.maker(noise).detach()) - self.critic(real)).mean().backward()
        self.of_critic.step()

    def step(self, batch):
        self.train_maker(batch["noise"])
        self.train_critic(batch["real"], batch["noise"])
"""


def test_what_one_method_of_a_turn_freezes_and_no_other_unfreezes_is_told() -> None:
    assert is_told(TURNS.replace("{unfreezing}", "pass"))


def test_what_the_other_method_of_a_turn_unfreezes_is_quiet() -> None:
    assert not is_told(TURNS.replace("{unfreezing}", "self.freeze(self.critic, False)"))


def test_what_only_a_method_freezes_that_nothing_calls_is_quiet() -> None:
    apart = TURNS.replace("{unfreezing}", "pass").replace("self.train_maker(batch", "print(batch")
    assert not is_told(apart)


def test_a_function_that_freezes_all_that_it_trains_is_told() -> None:
    program = """
    def train(loader, rate):
        net = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=rate)
        net.requires_grad_({})
        for inputs, targets in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(inputs), targets).backward()
            optimizer.step()
    """
    assert is_told(program.format(False))
    assert not is_told(program.format(True))
