"""What a backward proves of the tensors it begins at is no assumption any more."""

from __future__ import annotations

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source

TRAINING = """
import package
import torch
from torch.nn import functional as F

def train(loader, other):
    net = package.Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        out = net(x)
        loss = F.cross_entropy({scores}, y) + F.one_hot(out.argmax(1)).float().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def assumed(scores: str) -> set[str]:
    """The kinds of what is assumed of a term of a loss that has no gradient."""
    faults = analyse(Source("a.py", TRAINING.format(scores=scores)))
    found = [fault for fault in faults if fault.kind is Pitfall.CONSTANT_TERM]
    assert found
    return {one.name for fault in found for one in fault.premises}


def test_a_module_that_alone_gives_the_loss_its_graph_has_parameters_that_require_grad() -> None:
    assert assumed("out") == set()


@pytest.mark.parametrize("scores", ["out + other(x)", "out * package.Other()(x)"])
def test_what_else_may_give_it_one_leaves_that_open(scores: str) -> None:
    assert "optimized-requires-grad" in assumed(scores)


ROOT = """
import package
import torch

def train(loader):
    net = package.Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    total = 0
    for batch in loader:
        value = net(batch){part}
        optimizer.zero_grad()
        {root}.backward()
        optimizer.step()
        total += value
"""


def doubts_of_sum(part: str, root: str) -> set[str]:
    """The kinds of what is assumed of a sum of parts of what a module has computed."""
    found = analyse(Source("a.py", ROOT.format(part=part, root=root)))
    (fault,) = [one for one in found if one.kind is Pitfall.GRAPH_KEPT]
    return {one.name for one in fault.premises}


@pytest.mark.parametrize("part", [".value", "[0]", '["value"]'])
def test_what_backward_begins_at_requires_grad_whatever_unknown_code_gave_it(part: str) -> None:
    assert doubts_of_sum(part, "value") == set()


def test_another_part_beside_it_may_be_what_has_a_graph() -> None:
    assert "requires-grad" in doubts_of_sum("[0]", "(value + net(batch)[1])")
