"""Training loops that clear gradients in each iteration, and never step."""

from pathlib import Path

import pytest

from autograd_lint.checkers.alone.steps_left_out import judge
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

LOOP = """
def train(model, optimizer, schedule, loader):
    {before}
    for x in loader:
        optimizer.zero_grad()
        loss = model(x)
        loss.backward()
        {then}
    schedule.step()
    return optimizer.state_dict()
"""
HELPER = """
def log_rate(optimizer):
    print(optimizer.param_groups[0]["lr"])

def move(optimizer):
    optimizer.step()
"""


def _rows(folder: Path, then: str = "pass", before: str = "pass") -> list[int]:
    (folder / "helper.py").write_text(HELPER)
    text = LOOP.format(then=then, before=before)
    found = judge(Source("a.py", text), Project([folder]))
    return [fault.place.row for fault in found if fault.place]


def test_a_backward_that_only_a_clearing_follows_is_told(tmp_path: Path) -> None:
    assert _rows(tmp_path) == [7]
    assert _rows(tmp_path, "log_rate(optimizer)") == [7]
    assert _rows(tmp_path, before="self.optimizer = optimizer") == [7]
    assert _rows(tmp_path, before="schedule = StepLR(optimizer, 3)") == [7]


@pytest.mark.parametrize(
    "then",
    [
        "optimizer.step()",
        "if x is not None: optimizer.step()",
        "move(optimizer)",
        "engine(optimizer)",
        "self.update()",
        "print(model.weight.grad)",
    ],
)
def test_who_may_step_or_read_the_gradients_is_not_told(then: str, tmp_path: Path) -> None:
    assert _rows(tmp_path, then) == []


def test_an_optimizer_of_another_name_may_step(tmp_path: Path) -> None:
    assert _rows(tmp_path, before="mover = optimizer") == []


STEP = """
class Plugin:
    def update_gradients(self, strategy):
        {owner}.optimizer.zero_grad()
        strategy.criterion(strategy.model(strategy.x)).backward()
"""


@pytest.mark.parametrize(("owner", "rows"), [("self", [5]), ("strategy", [])])
def test_who_gives_what_has_the_optimizer_may_step(
    owner: str, rows: list[int], tmp_path: Path
) -> None:
    found = judge(Source("a.py", STEP.format(owner=owner)), Project([tmp_path]))
    assert [fault.place.row for fault in found if fault.place] == rows
