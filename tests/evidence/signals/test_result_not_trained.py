"""Functions whose result is supposed to be part of a loss, and what their callers do with it."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import FaultKind
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

SCALED = """
import torch

weight = torch.ones(2, requires_grad=True)

def scaled(x):
    y = (x * weight).exp()
    y += 1
    return y
"""
HEAD = "import torch\nfrom own import scaled\n\n"
SEARCH = HEAD + "def search(x):\n    return scaled(x).argmax()\n\nsearch(torch.ones(2))\n"
TRAINING = HEAD + (
    "def train(loader, optimizer):\n    for x in loader:\n        optimizer.zero_grad()\n"
    "        loss = scaled(x).sum()\n        loss.backward()\n        optimizer.step()\n"
)


@pytest.mark.parametrize(
    ("callers", "doubted"),
    [
        ({}, False),
        ({"searching": SEARCH}, True),
        ({"training": TRAINING}, False),
        ({"searching": SEARCH, "training": TRAINING}, False),
    ],
)
def test_a_result_that_no_caller_is_seen_to_train_with(
    callers: dict[str, str], doubted: bool, tmp_path: Path
) -> None:
    write_tree(tmp_path, {"own.py": SCALED, **{f"{n}.py": text for n, text in callers.items()}})
    found = analyse(Source(str(tmp_path / "own.py"), SCALED), Project([tmp_path]))
    (fault,) = [one for one in found if one.kind is FaultKind.SAVED_TENSOR_MODIFIED]
    kinds = {why.kind for why in fault.assumptions}
    assert (Kind.RESULT_TRAINED_ELSEWHERE in kinds) is doubted
