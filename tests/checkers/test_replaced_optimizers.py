"""Schedulers whose optimizer was replaced."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

LEFT = Pitfall.SCHEDULER_LEFT_BEHIND
LOOP = """
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
{}
for x, y in loader:
    used.zero_grad()
    F.mse_loss(model(x), y).backward()
    used.step()
    scheduler.step()
"""


@pytest.mark.parametrize("again", ["", "optimizer = used"])
def test_a_scheduler_keeps_the_optimizer_that_it_was_made_with(again: str) -> None:
    made = f"used = torch.optim.Adam(model.parameters()); {again}"
    assert rows(LOOP.format(made), LEFT) == [8]


@pytest.mark.parametrize(
    "made",
    [
        "used = optimizer",
        "used = torch.optim.Adam(nn.Linear(4, 1).parameters())",
        "used = torch.optim.Adam(model.parameters())\n"
        "scheduler = torch.optim.lr_scheduler.StepLR(used, 1)",
        "class Both:\n"
        "    def zero_grad(self): optimizer.zero_grad()\n"
        "    def step(self): optimizer.step(); other.step()\n"
        "other = torch.optim.Adam(model.parameters())\n"
        "used = Both()",
    ],
)
def test_an_optimizer_that_still_steps_is_not_replaced(made: str) -> None:
    assert rows(LOOP.format(made), LEFT) == []


def test_an_optimizer_that_steps_by_means_of_another_one_is_not_replaced() -> None:
    program = """
    class Sharp(torch.optim.Optimizer):
        def __init__(self, params, base):
            super().__init__(params, {})
            self.base = base(self.param_groups, lr=0.1)
            self.param_groups = self.base.param_groups

        def step(self):
            self.base.step()

    sharp = Sharp(model.parameters(), torch.optim.SGD)
    scheduler = torch.optim.lr_scheduler.StepLR(sharp, 1)
    for x, y in loader:
        sharp.zero_grad()
        F.mse_loss(model(x), y).backward()
        sharp.step()
        scheduler.step()
    """
    assert rows(program, LEFT) == []
