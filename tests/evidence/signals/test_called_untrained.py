"""What is assumed of callers, where those in the project do otherwise."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

MEASURE = """\
import torch
from torch import nn


def measure(net: nn.Module, loader):
    net.eval()
    right = 0
    for x, y in loader:
        right += (net(x).argmax(1) == y).sum().item()
    return right
"""
CALLER = "import torch\nfrom own import measure\n\n\ndef test(config, net, loader):\n"


@pytest.mark.parametrize(
    ("body", "otherwise"),
    [
        ("    print(measure(net, loader))\n", False),
        ("    with torch.no_grad():\n        print(measure(net, loader))\n", True),
    ],
)
def test_an_evaluation_is_called_where_nothing_is_trained_but_it_matters_whether_grad_mode_is_off(
    tmp_path: Path, body: str, otherwise: bool
) -> None:
    write_tree(tmp_path, {"own.py": MEASURE, "caller.py": CALLER + body})
    faults = analyse(Source(str(tmp_path / "own.py"), MEASURE), Project([tmp_path]))
    (found,) = [one for one in faults if one.kind is Pitfall.EVALUATION_BUILDS_GRAPHS]
    assert (Kind.CALLED_OTHERWISE in {one.kind for one in found.assumptions}) is otherwise
