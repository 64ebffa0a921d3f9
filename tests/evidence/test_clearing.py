"""Training steps that are methods, and leave their gradients to their next call."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.wording import worded
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

AGENT = """\
import torch
from torch import nn

class Agent:
    def __init__(self):
        self.net = nn.Linear(4, 2)
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def learn(self, batch):
        loss = self.net(batch).square().mean()
        {clear}
        loss.backward()
        self.optimizer.step()

    {other}
"""
CALLER = """\
from agent import Agent

agent = Agent()
for batch in batches:
    {before}
    agent.learn(batch)
"""


def told(tmp_path: Path, clear: str = "pass", other: str = "", before: str = "pass") -> list[Fault]:
    """What is said of gradients that are not cleared, at least as likely."""
    files = {"agent.py": AGENT.format(clear=clear, other=other)}
    files["main.py"] = CALLER.format(before=before)
    write_tree(tmp_path, files)
    source = Source(str(tmp_path / "agent.py"), files["agent.py"])
    found = analyse(source, Project([tmp_path]))
    return [f for f in found if f.kind is Pitfall.MISSING_ZERO_GRAD and f.weight < 2]


def test_a_step_that_never_clears_is_called_again(tmp_path: Path) -> None:
    (fault,) = told(tmp_path)
    texts = [worded(why) for why in fault.assumptions]
    assert texts == ["`learn` is called again, and its callers do not clear gradients"]


CLEARED = [
    {"clear": "self.optimizer.zero_grad()"},
    {"clear": "self.net.zero_grad()"},
    {"other": "def clear(self): self.optimizer.zero_grad()"},
    {"other": "def clear(self):\n        for p in self.net.parameters(): p.grad = None"},
    {"before": "agent.optimizer.zero_grad()"},
]


@pytest.mark.parametrize("where", CLEARED)
def test_whoever_clears_has_it_clear(where: dict[str, str], tmp_path: Path) -> None:
    assert told(tmp_path, **where) == []


@pytest.mark.parametrize(
    ("head", "name", "again"),
    [
        ("class Agent:", "learn", True),
        ("class Agent:", "test_learn", True),
        ("class TestAgent:", "test_learn", False),
        ("class Agent(unittest.TestCase):", "test_learn", False),
        ("class Agent(unittest.TestCase):", "learn", True),
    ],
)
def test_a_test_is_called_once_on_its_object(head: str, name: str, again: bool) -> None:
    text = AGENT.format(clear="pass", other="").replace("class Agent:", head)
    found = analyse(Source("agent.py", "import unittest\n" + text.replace("learn", name)))
    assert [fault.kind for fault in found] == [Pitfall.MISSING_ZERO_GRAD] * again
