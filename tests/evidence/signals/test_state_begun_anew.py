"""States that a module keeps from step to step, and that whoever trains it begins anew."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.evidence.signals.base import Case
from autograd_lint.evidence.signals.state_begun_anew import SIGNAL
from autograd_lint.facts.callers import owner_at
from autograd_lint.places import Place
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

MODULE = """
import torch
from torch import nn

class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 4, batch_first=True)
        self.hidden = {begun}

    def init_hidden(self, rows):
        return (torch.zeros(1, rows, 4), torch.zeros(1, rows, 4))

    def forward(self, x):
        out, self.hidden = self.rnn(x, self.hidden)
        return out
"""
TRAINING = """
from chain import Chain

def train(loader, optimizer):
    rnn = make(Chain)
    for epoch in range(9):
        {in_epoch}
        for x in loader:
            {in_step}
            optimizer.zero_grad()
            rnn(x).mean().backward()
            optimizer.step()
"""
ANEW = "rnn.hidden = rnn.init_hidden(len(x))"


@pytest.mark.parametrize(
    ("begun", "in_epoch", "in_step", "found"),
    [
        ("None", "pass", ANEW, False),
        ("None", ANEW, "pass", True),
        ("None", "pass", "pass", True),
        ("self.init_hidden(8)", "pass", ANEW, True),
    ],
)
def test_states_that_are_left_to_each_step_of_a_training_to_begin(
    begun: str, in_epoch: str, in_step: str, found: bool, tmp_path: Path
) -> None:
    training = TRAINING.format(in_epoch=in_epoch, in_step=in_step)
    text = MODULE.format(begun=begun)
    write_tree(tmp_path, {"chain.py": text, "train.py": training})
    assert _is_told(tmp_path, text) is found


def test_states_of_what_nothing_makes_are_begun_as_those_of_others(tmp_path: Path) -> None:
    training = TRAINING.format(in_epoch="pass", in_step=ANEW).replace("make(Chain)", "other()")
    text = MODULE.format(begun="self.init_hidden(8)")
    write_tree(tmp_path, {"chain.py": text, "train.py": training})
    assert not _is_told(tmp_path, text)


STEPPER = """
class Learner(Base):
    def fit(self, batches):
        for self.batch in batches:
            self.step()

    def step(self):
        self.predict()
        if len(self.labels) == 0:
            return self.loss.backward()
        self.loss = self.compute()
        self.loss.backward()
"""


def test_a_loss_that_the_object_sets_elsewhere_is_another_one_by_then(tmp_path: Path) -> None:
    text = "import torch\nfrom base import Base\n" + STEPPER
    write_tree(tmp_path, {"chain.py": text})
    assert not _is_told(tmp_path, text)
    assert _is_told(tmp_path, text.replace("        self.loss = self.compute()\n", ""))


LAYER = """
from parts import scaled

class Layer(nn.Module):
    def __init__(self, w):
        self.w = w
        self.scaled = scaled(self.w)
"""
PARTS = "def scaled(w):\n    return w.exp()\n"


def _not_run(*_: object) -> None:
    raise AssertionError("no caller is run")


RENEWING = "from parts import scaled\n\ndef renew(layer):\n    layer.scaled = scaled(layer.w)\n"


def test_a_graph_of_the_constructor_is_built_again_where_others_call_its_builder(
    tmp_path: Path,
) -> None:
    layer, parts = tmp_path / "layer.py", tmp_path / "parts.py"
    write_tree(tmp_path, {"layer.py": LAYER, "parts.py": PARTS})
    built = Created(Place(str(parts), 2, 4, 2, 16), "exp")
    fault = Fault(FaultKind.GRAPH_FREED, None, "", built=built)
    source = Source(str(layer), LAYER)
    owner = owner_at(source, 7)
    assert owner is not None
    assert not SIGNAL.speaks(Case(fault, source, owner, 7, Project([tmp_path]), run=_not_run))
    write_tree(tmp_path, {"renewing.py": RENEWING})
    assert SIGNAL.speaks(Case(fault, source, owner, 7, Project([tmp_path]), run=_not_run))


def _is_told(root: Path, text: str) -> bool:
    faults = analyse(Source(str(root / "chain.py"), text), Project([root]))
    return FaultKind.GRAPH_FREED in {fault.kind for fault in faults if fault.weight <= 1}
