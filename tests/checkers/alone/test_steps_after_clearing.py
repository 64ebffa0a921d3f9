"""Optimizers that step after their gradients were cleared, and before the backward."""

from pathlib import Path
from textwrap import indent

import pytest

from autograd_lint.checkers.alone.steps_after_clearing import judge
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

LOOP = """\
for x in loader:
    loss = model(x)
    opt.step()
    loss.backward()
    opt.zero_grad()
"""


SKIPPED = """\
for x in loader:
    if x is None:
        continue
    if x > 1:
        loss = model(x)
    opt.step()
    loss.backward()
    opt.zero_grad()
"""


def _rows(program: str, folder: Path, helper: str = "") -> list[int]:
    text = "def train(model, opt, other_opt, loader):\n" + indent(program, "    ")
    (folder / "helper.py").write_text(helper)
    found = judge(Source("a.py", text), Project([folder]))
    return [fault.place.row for fault in found if fault.place]


@pytest.mark.parametrize(
    ("program", "row"),
    [
        ("opt.zero_grad()\nloss = model()\nopt.step()\nloss.backward()\n", 4),
        ("loss = model()\nopt.step()\nloss.backward()\nmodel.zero_grad()\n", 3),
        (LOOP, 4),
        (SKIPPED, 7),
    ],
)
def test_a_step_before_the_backward_of_its_loss_is_told(
    program: str, row: int, tmp_path: Path
) -> None:
    assert _rows(program, tmp_path) == [row]


@pytest.mark.parametrize(
    "program",
    [
        "opt.zero_grad()\nloss = model()\nloss.backward()\nopt.step()\n",
        "opt.step()\nopt.zero_grad()\nloss = model()\nloss.backward()\n",
        "loss = model()\nopt.step()\nother_opt.zero_grad()\nloss.backward()\n",
        "loss = model()\nopt.step()\nloss.backward()\nif loader: return\nopt.zero_grad()\n",
        "opt.zero_grad()\nloss = model()\nrun_backward(loss)\nopt.step()\nloss.backward()\n",
        "loss = model()\nloss.backward()\nopt.zero_grad()\nopt.step()\n",
    ],
)
def test_steps_that_find_gradients_or_are_meant_without_them_are_quiet(
    program: str, tmp_path: Path
) -> None:
    assert _rows(program, tmp_path) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("self.iteration = iteration", [5]),
        ("self.loss(iteration).backward()", []),
        ("self.train_on(iteration)", []),
    ],
)
def test_what_only_is_named_like_training_runs_no_backward(
    body: str, expected: list[int], tmp_path: Path
) -> None:
    program = (
        "opt.zero_grad()\nloss = model()\nlog.update_iteration(1)\nopt.step()\nloss.backward()\n"
    )
    helper = f"class Log:\n    def update_iteration(self, iteration):\n        {body}\n"
    assert _rows(program, tmp_path, helper) == expected
