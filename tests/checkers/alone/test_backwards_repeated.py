"""Two backwards for one loss, one below the other."""

from textwrap import indent

import pytest

from autograd_lint.checkers.alone.backwards_repeated import judge
from autograd_lint.checking.pipeline import check_source
from autograd_lint.configuration.settings import Settings
from autograd_lint.project.source import Source
from tests.checkers.noting import told_at


def _rows(program: str) -> list[int]:
    text = "def step(loss, scaler, accelerator, again):\n" + indent(program, "    ")
    return told_at(judge, text)


@pytest.mark.parametrize(
    "program",
    [
        "loss.backward()\nloss.backward()\n",
        "loss.backward()\nprint(loss)\nloss.backward()\n",
        "scaler.scale(loss).backward()\nscaler.scale(loss).backward()\n",
    ],
)
def test_the_second_backward_needs_what_the_first_has_freed(program: str) -> None:
    assert _rows(program) == [program.count("\n") + 1]


@pytest.mark.parametrize(
    "program",
    [
        "loss.backward(retain_graph=True)\nloss.backward()\n",
        "loss.backward()\nloss = again()\nloss.backward()\n",
        "loss.backward()\nagain.backward()\n",
        "if again:\n    loss.backward()\nloss.backward()\n",
        "loss.backward(again)\nloss.backward(again)\n",
        "loss.backward()\nif again: return\nloss.backward()\n",
    ],
)
def test_a_graph_that_is_kept_or_another_one_is_quiet(program: str) -> None:
    assert _rows(program) == []


TRAINING = """
import importlib
import torch

def train(name, loader):
    model = importlib.import_module(name)
    network, criterion = model.get_model(40).cuda(), model.get_loss().cuda()
    optimizer = torch.optim.Adam(network.parameters())
    for points, target in loader:
        optimizer.zero_grad()
        loss = criterion(network(torch.Tensor(points.numpy())), target)
        loss.backward()
        {between}
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(("between", "told"), [("print(loss)", [14]), ("loss = other()", [])])
def test_it_is_told_though_all_of_the_network_is_unknown(between: str, told: list[int]) -> None:
    found = check_source(Source("a.py", TRAINING.format(between=between)), Settings())
    assert [one.place.row for one in found if one.code == "AG201"] == told
