"""States that a module keeps from step to step, and that whoever trains it begins anew."""

from pathlib import Path

import pytest

from autograd_lint.engine.faults import FaultKind
from autograd_lint.interpreter.runs.analysis import analyse
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
    faults = analyse(Source(str(tmp_path / "chain.py"), text), Project([tmp_path]))
    assert (FaultKind.GRAPH_FREED in {f.kind for f in faults if f.weight <= 1}) is found
