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
    assert _rows(tmp_path, "model.save_pretrained('best')") == [7]
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


PAIR = """
class Agent:
    def __init__(self, actor, critic):
        self.a_opt, self.c_opt = Adam(actor.parameters()), Adam(critic.parameters())
        {kept}

    def update(self, x):
        loss = self.critic(x)
        self.c_opt.zero_grad()
        loss.backward()
        {then}
        score = self.critic(self.actor(x))
        self.a_opt.zero_grad()
        score.backward()
        self.a_opt.step()
"""


@pytest.mark.parametrize(
    ("kept", "then", "rows"),
    [
        ("pass", "pass", [10]),
        ("self.opt = self.c_opt", "pass", []),
        ("pass", "self.c_opt.step()", []),
        ("pass", "move(self.c_opt)", []),
        ("pass", "self.c_opt.zero_grad()", []),  # where it is to step: told of as such
        ("self.c_opt, self.rate = self.c_opt, 1", "pass", [10]),
    ],
)
def test_one_of_several_optimizers_that_is_cleared_and_never_steps_is_told(
    kept: str, then: str, rows: list[int], tmp_path: Path
) -> None:
    (tmp_path / "helper.py").write_text(HELPER)
    text = PAIR.format(kept=kept, then=then)
    found = judge(Source("a.py", text), Project([tmp_path]))
    assert [fault.place.row for fault in found if fault.place] == rows


def test_another_file_may_step_an_optimizer(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("def move(agent):\n    agent.c_opt.step()\n")
    text = PAIR.format(kept="pass", then="pass")
    assert not list(judge(Source("a.py", text), Project([tmp_path])))


def test_optimizers_that_are_bound_together_are_known_by_their_names(tmp_path: Path) -> None:
    assert _rows(tmp_path, before="self.optimizer, self.rate = optimizer, 1") == [7]
    assert _rows(tmp_path, before="self.optimizer = other = optimizer") == []
