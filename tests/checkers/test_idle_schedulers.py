"""Schedulers that a function makes, and never steps."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

TEXT = """
from torch.optim.lr_scheduler import StepLR

def train(model, optimizer, loader):
    scheduler = StepLR(optimizer, 10)
    for x in loader:
        model(x).sum().backward()
        {loop}
    {after}
"""


def is_told(loop: str = "optimizer.step()", after: str = "pass") -> bool:
    """Whether it is told of the scheduler."""
    return Pitfall.NEVER_SCHEDULED in noted(TEXT.format(loop=loop, after=after))


@pytest.mark.parametrize(
    "loop",
    [
        "optimizer.step()",
        "update(optimizer)",
        "optimizer.step(); scheduler.get_last_lr()",
        "optimizer.step(); scheduler.load_state_dict(x)",
    ],
)
def test_a_scheduler_that_nothing_steps_is_told(loop: str) -> None:
    assert is_told(loop)


@pytest.mark.parametrize(
    "after", ["scheduler.step()", "return scheduler", "run(scheduler)", "kept = [scheduler]"]
)
def test_a_scheduler_that_steps_or_goes_on_is_quiet(after: str) -> None:
    assert not is_told(after=after)


def test_where_nothing_is_trained_nothing_has_to_step() -> None:
    assert not is_told(loop="print(x)")
