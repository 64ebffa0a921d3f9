"""What is called by a name that programs give to counts of hits, and is not known."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.evidence.test_reconsidering import is_shown
from tests.fakes import write_tree

EPOCH = """
import torch

def run_epoch(data, model, optimizer):
    {kept} = []
    for xs, ys in data:
        loss, other = model(xs, ys)
        {kept}.append(other * len(xs))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return sum({kept})
"""


@pytest.mark.parametrize(("kept", "shown"), [("accs", False), ("others", True)])
def test_a_score_of_which_nothing_else_is_known_has_no_graph(
    tmp_path: Path, kept: str, shown: bool
) -> None:
    assert is_shown(tmp_path, EPOCH.format(kept=kept), "") is shown


METER = """
class Meter:
    def __init__(self):
        self.sum = 0

    def update(self, value, count):
        self.sum += value * count
"""
EVALUATION = """
import torch
from meters import Meter

def run_epoch(data, model, score):
    model.eval()
    meter = Meter()
    for xs, ys in data:
        {given} = score(model(xs), ys)
        meter.update({given}, len(xs))
    return meter.sum
"""


@pytest.mark.parametrize(("given", "shown"), [("prec1", False), ("penalty", True)])
def test_what_a_meter_is_given_first_may_be_a_score(
    tmp_path: Path, given: str, shown: bool
) -> None:
    text = EVALUATION.format(given=given)
    write_tree(tmp_path, {"meters.py": METER, "epoch.py": text})
    found = analyse(Source(str(tmp_path / "epoch.py"), text), Project([tmp_path]))
    kept = [one for one in found if one.kind is Pitfall.GRAPH_KEPT]
    assert any(one.weight < 2 for one in kept) is shown
