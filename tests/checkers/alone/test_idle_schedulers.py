"""Schedulers that a function makes, and never steps."""

from pathlib import Path

import pytest

from autograd_lint.checkers.alone.idle_schedulers import judge
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
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


MAKERS = """
from torch.optim.lr_scheduler import StepLR

def wrapped(options, optimizer):
    return Warmup(StepLR(optimizer, 10))

def epoch(model, optimizer, scheduler, loader):
    for x in loader:
        model(x).sum().backward()
        optimizer.step()

def scheduled(model, optimizer, scheduler, loader):
    epoch(model, optimizer, scheduler, loader)
    scheduler.step()
"""
CHOSEN = """
from torch.optim.lr_scheduler import ExponentialLR, StepLR

def chosen(options, optimizer):
    if options.decay is None:
        return None
    made = StepLR(optimizer, 10)
    if options.smooth:
        made = ExponentialLR(optimizer, 0.9)
    return made
"""
MADE = """
def train(model, options, optimizer, loader):
    scheduler = {made}
    for _ in range(9):
        {trains}
"""


def _rows(folder: Path, made: str, trains: str) -> list[int]:
    (folder / "makers.py").write_text(MAKERS)
    text = MADE.format(made=made, trains=trains)
    found = judge(Source(str(folder / "a.py"), text), Project([folder]))
    return sorted({fault.place.row for fault in found if fault.place})


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("makers.scheduler(options, optimizer)", []),
        ("wrapped(options, optimizer)", []),
        ("chosen(options, optimizer)", [3]),
    ],
)
def test_a_scheduler_that_a_function_of_the_project_makes_has_to_step(
    tmp_path: Path, made: str, found: list[int]
) -> None:
    (tmp_path / "chosen.py").write_text(CHOSEN)
    assert _rows(tmp_path, made, "optimizer.step()") == found


@pytest.mark.parametrize(
    ("trains", "found"),
    [
        ("epoch(model, optimizer, scheduler, loader)", [3]),
        ("epoch(model, optimizer, scheduler=scheduler, loader=loader)", [3]),
        ("scheduled(model, optimizer, scheduler, loader)", []),
        ("elsewhere(model, optimizer, scheduler, loader)", []),
        ("epoch(model, optimizer, *scheduler)", []),
        ("epoch(*given, optimizer, scheduler)", []),
    ],
)
def test_a_function_that_never_reads_a_scheduler_does_not_step_it(
    tmp_path: Path, trains: str, found: list[int]
) -> None:
    (tmp_path / "chosen.py").write_text(CHOSEN)
    assert _rows(tmp_path, "chosen(options, optimizer)", trains) == found


@pytest.mark.parametrize(
    ("imported", "made"),
    [
        ("from transformers import get_scheduler", "get_scheduler('linear', optimizer)"),
        (
            "from transformers.optimization import get_cosine_schedule_with_warmup as cosine",
            "cosine(optimizer, 100, 1000)",
        ),
        ("from timm.scheduler import CosineLRScheduler", "CosineLRScheduler(optimizer, 30)"),
    ],
)
def test_other_libraries_make_schedulers_too(imported: str, made: str) -> None:
    text = TEXT.replace("from torch.optim.lr_scheduler import StepLR", imported)
    text = text.replace("StepLR(optimizer, 10)", made)
    stepped = text.format(loop="optimizer.step()", after="scheduler.step()")
    assert Pitfall.NEVER_SCHEDULED in noted(text.format(loop="optimizer.step()", after="pass"))
    assert Pitfall.NEVER_SCHEDULED not in noted(stepped)
