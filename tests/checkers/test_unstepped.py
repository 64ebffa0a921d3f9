"""Optimizers that never step."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

CLEARED = """
from elsewhere import watch
net = nn.Linear(2, 1)
mover = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(mover, 1)
for epoch in range(3):
    for x in batches:
        mover.zero_grad()
        net(x).sum().backward()
        {then}
    schedule.step()
"""


def is_told(then: str) -> bool:
    return Pitfall.NEVER_STEPPED in noted(CLEARED.format(then=then))


def test_gradients_that_are_only_cleared_are_used_by_no_step() -> None:
    assert is_told("pass")
    assert not is_told("mover.step()")


@pytest.mark.parametrize(
    "then",
    [
        "print(net.weight.grad.norm())",
        "watch(mover)",
        "watch({'mover': mover})",
        "with torch.no_grad(): net.weight -= 0.1 * net.weight.grad",
    ],
)
def test_who_may_use_the_gradients_needs_no_step(then: str) -> None:
    assert not is_told(then)


def test_an_optimizer_that_steps_under_a_condition_that_speaks_of_a_schedule_steps() -> None:
    assert not is_told("if epoch > scheduled: mover.step()")


def test_what_unknown_code_is_given_beside_the_optimizer_says_nothing_of_it() -> None:
    assert is_told("watch(x, {'epoch': epoch})")


def test_a_scheduler_of_a_computed_name_does_not_step_parameters() -> None:
    named = CLEARED.replace("lr_scheduler.StepLR(", "lr_scheduler, name)(")
    named = named.replace("schedule = torch", "rates = getattr(torch")
    assert Pitfall.NEVER_STEPPED in noted(named.format(then="pass"))


PLAYED = """
import gym
env = gym.make("Pendulum-v1")
mover = torch.optim.SGD(model.parameters(), lr=0.1)
for episode in range(100):
    {given} = env.step(None)
    mover.zero_grad()
    model(torch.as_tensor(state)).sum().backward()
"""


def test_an_environment_steps_no_parameters() -> None:
    assert Pitfall.NEVER_STEPPED in noted(PLAYED.format(given="state, reward"))
    assert Pitfall.NEVER_STEPPED not in noted(PLAYED.format(given="state"))


@pytest.mark.parametrize(("step", "told"), [("self.done += 1", True), ("self.mover.step()", False)])
def test_a_meter_that_steps_is_looked_into(step: str, told: bool) -> None:
    meter = f"""
class Meter:
    def __init__(self, mover):
        self.done, self.mover = 0, mover

    def step(self):
        {step}
"""
    text = meter + CLEARED.replace("for epoch", "meter = Meter(mover)\nfor epoch")
    assert (Pitfall.NEVER_STEPPED in noted(text.format(then="meter.step()"))) is told


def test_gradients_that_autograd_grad_gives_are_no_reason_to_run_backward() -> None:
    attack = "torch.autograd.grad(net(x.requires_grad_()).sum(), x)"
    assert is_told(attack)
