"""Functions from whose result callers run backward."""

from pathlib import Path

import pytest

from autograd_lint.facts.callers import owner_at
from autograd_lint.facts.differentiated_results import is_differentiated_by_callers
from autograd_lint.project.modules import Project
from tests.fakes import write_tree

LOSS = """import torch
from torch import nn
def error(out, y, model):
    {first}
    return out.sum()
"""
HEAD = "from loss import error\ndef train(model, x, y, scaler, optimizer):\n"
WALKS = "    loss = error(model(x), y, model)\n    loss.backward()\n"


def _told(root: Path, loss: str, caller: str) -> bool:
    write_tree(root, {"loss.py": loss, "train.py": HEAD + caller})
    project = Project([root])
    source = project.file(str(root / "loss.py"))
    assert source is not None
    owner = owner_at(source, 4)
    assert owner is not None
    return is_differentiated_by_callers(owner, project)


@pytest.mark.parametrize(
    ("caller", "told"),
    [
        (WALKS, True),
        ("    loss, items = error(model(x), y, model), {}\n    loss.backward()\n", False),
        ("    loss, items = error(model(x), y, model)\n    scaler.scale(loss).backward()\n", True),
        ("    loss, items = error(model(x), y, model)\n    items.backward()\n", False),
        ("    loss = model(x) + error(x, y, model)\n    loss.backward()\n", False),
        ("    loss = error(model(x), y, model)\n    optimizer.step()\n", False),
        (
            "    loss = inner(model, x, y)\n    loss.backward()\n"
            "def inner(model, x, y):\n    return error(model(x), y, model)\n",
            True,
        ),
    ],
)
def test_the_very_result_is_differentiated(tmp_path: Path, caller: str, told: bool) -> None:
    assert _told(tmp_path, LOSS.format(first="out = out * 2"), caller) == told


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ("out = nn.BCEWithLogitsLoss()(out, y)", True),
        ("out = nn.Linear(1, 1)(out)", False),
        ("out = out + torch.ones(1, requires_grad=True)", False),
        ("out = model(out)", False),
        ("out = out * model.scale", True),
    ],
)
def test_a_graph_may_come_from_elsewhere(tmp_path: Path, first: str, told: bool) -> None:
    assert _told(tmp_path, LOSS.format(first=first), WALKS) == told
