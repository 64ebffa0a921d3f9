"""Schedulers of an optimizer in whose place another one steps."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "a second phase": """
schedule = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)
for phase in range(2):
    for _ in range(3):
        fit((net(x) - y).square().mean())
        schedule.step()  # here
    opt = torch.optim.Adam(net.parameters())
""",
}

RIGHT = {
    "a scheduler for each": """
for phase in range(2):
    schedule = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)
    for _ in range(3):
        fit((net(x) - y).square().mean())
        schedule.step()
    opt = torch.optim.Adam(net.parameters())
""",
    "an optimizer that steps seldom": """
other = torch.nn.Linear(2, 1)
slow = torch.optim.SGD(other.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.ExponentialLR(slow, 0.5)
for _ in range(4):
    fit((net(x) - y).square().mean())
    schedule.step()
other(x).sum().backward()
slow.step()
""",
    "a wrapper that runs the one it has": """
class Wrapper(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, {"lr": 0.1})
        self.base = torch.optim.SGD(self.param_groups)
        self.param_groups = self.base.param_groups
    def finish(self):
        self.base.step()
wrapper = Wrapper(net.parameters())
schedule = torch.optim.lr_scheduler.ExponentialLR(wrapper, 0.5)
for _ in range(4):
    wrapper.zero_grad()
    (net(x) - y).square().mean().backward()
    wrapper.finish()
    schedule.step()
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_scheduler_of_the_old_optimizer_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("scheduler-left-behind", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_schedulers_of_what_steps_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
