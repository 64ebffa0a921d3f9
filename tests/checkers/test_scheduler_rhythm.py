"""Schedulers that step in another rhythm than the one they were made for."""

import pytest

from tests.vm.running import kinds

TEXT = """
from torch.optim import lr_scheduler

def fit(net, loader, epochs, steps):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.{made}
    for epoch in range({times}):
        for batch in loader:
            optimizer.zero_grad()
            loss = net(batch).mean()
            loss.backward()
            optimizer.step()
            {inner}
        {outer}
"""
STEP = "scheduler.step()"


def told(made: str, inner: str = "pass", outer: str = "pass", times: str = "epochs") -> bool:
    """Whether a program that trains for some epochs is told of."""
    found = kinds(TEXT.format(made=made, inner=inner, outer=outer, times=times))
    return "scheduler-out-of-step" in found


@pytest.mark.parametrize(
    "made",
    [
        "CosineAnnealingLR(optimizer, epochs)",
        "CosineAnnealingLR(optimizer, T_max=epochs, eta_min=1e-5)",
        "LinearLR(optimizer, total_iters=epochs)",
        "PolynomialLR(optimizer, epochs)",
    ],
)
def test_a_schedule_as_long_as_the_epochs_does_not_step_in_batches(made: str) -> None:
    assert told(made, inner=STEP)
    assert not told(made, outer=STEP)


def test_milestones_within_the_epochs_are_epochs() -> None:
    made = "MultiStepLR(optimizer, milestones=[30, 60])"
    assert told(made, inner=STEP, times="90")
    assert not told(made, outer=STEP, times="90")
    assert not told(made, inner=STEP, times="20")


@pytest.mark.parametrize(
    "made",
    [
        "CosineAnnealingLR(optimizer, steps)",
        "CosineAnnealingLR(optimizer, epochs * len(loader))",
        "OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader))",
    ],
)
def test_a_schedule_in_batches_steps_in_batches(made: str) -> None:
    assert not told(made, inner=STEP)


@pytest.mark.parametrize(
    "made",
    [
        "CosineAnnealingLR(optimizer, epochs * len(loader))",
        "OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader))",
    ],
)
def test_a_schedule_in_batches_does_not_step_in_epochs(made: str) -> None:
    assert told(made, outer=STEP)


def test_a_metric_is_for_the_one_scheduler_that_takes_it() -> None:
    metric = "scheduler.step(loss.item())"
    assert told("StepLR(optimizer, 10)", outer=metric)
    assert not told("ReduceLROnPlateau(optimizer)", outer=metric)


@pytest.mark.parametrize("number", ["int(name) - 1", "int(name) // 2 + epoch", "len(loader) * 2"])
def test_a_whole_number_that_was_computed_is_no_metric(number: str) -> None:
    assert not told("StepLR(optimizer, 10)", outer=f"scheduler.step({number})")


@pytest.mark.parametrize("given", ["epoch", "epoch + 1", ""])
def test_an_epoch_may_be_given(given: str) -> None:
    assert not told("StepLR(optimizer, 10)", outer=f"scheduler.step({given})")


BY_CLASS = """
from torch.optim import lr_scheduler

class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        self.scheduler = lr_scheduler.{made}

    def fit(self, loader):
        total = 0.0
        for batch in loader:
            self.optimizer.zero_grad()
            loss = self.net(batch).mean()
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        if isinstance(self.scheduler, lr_scheduler.{asked}):
            self.scheduler.step(total)
        else:
            self.scheduler.step()
"""


def test_a_scheduler_that_is_asked_for_its_class_gets_what_that_class_takes() -> None:
    of_class = BY_CLASS.format(made="StepLR(self.optimizer, 30)", asked="ReduceLROnPlateau")
    assert "scheduler-out-of-step" not in kinds(of_class)
    of_base = BY_CLASS.format(made="StepLR(self.optimizer, 30)", asked="LRScheduler")
    assert "scheduler-out-of-step" in kinds(of_base)


SEVERAL = """
from torch.optim.lr_scheduler import OneCycleLR

def fit(net, loader, epochs):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader))
    for batch in {times}:
        for part in batch:
            optimizer.zero_grad()
            net(part).mean().backward()
            optimizer.step()
        scheduler.step()
"""


@pytest.mark.parametrize(("times", "found"), [("loader", False), ("several(epochs)", True)])
def test_a_batch_of_several_steps_is_one_step_of_a_schedule_in_batches(
    times: str, found: bool
) -> None:
    assert ("scheduler-out-of-step" in kinds(SEVERAL.format(times=times))) is found
