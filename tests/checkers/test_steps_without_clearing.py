"""Training in files in which nothing clears gradients."""

from pathlib import Path

from autograd_lint.checkers.alone.steps_without_clearing import judge
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

AGENT = """
import torch.optim as optim
from helpers import prepare
class Agent:
    def __init__(self, net):
        self.optimizer = optim.Adam(net.parameters())
    def {name}(self, loss):
        prepare(self)
        loss.backward()
        self.optimizer.step()
"""
LOOP = """
import torch
def run(net, loader):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in loader:
        {clear}
        net(x).sum().backward()
        opt.step()
"""


def _rows(text: str, folder: Path, helper: str = "") -> list[int]:
    (folder / "helpers.py").write_text(f"def prepare(agent):\n    {helper or 'pass'}\n")
    (folder / "agent.py").write_text(text)
    source = Source(str(folder / "agent.py"), text)
    return [fault.place.row for fault in judge(source, Project([folder])) if fault.place]


def test_a_method_that_trains_and_never_clears_is_told(tmp_path: Path) -> None:
    assert _rows(AGENT.format(name="update"), tmp_path) == [9]


def test_a_loop_that_never_clears_is_told(tmp_path: Path) -> None:
    assert _rows(LOOP.format(clear="pass"), tmp_path) == [7]


def test_what_clears_in_the_file_is_seen(tmp_path: Path) -> None:
    assert _rows(LOOP.format(clear="net.zero_grad()"), tmp_path) == []
    assert _rows(LOOP.format(clear="net.weight.grad = None"), tmp_path) == []


def test_what_clears_in_a_file_that_is_imported_is_seen(tmp_path: Path) -> None:
    text = AGENT.format(name="update")
    assert _rows(text, tmp_path, "agent.optimizer.zero_grad()") == []


def test_a_function_that_runs_once_is_quiet(tmp_path: Path) -> None:
    assert _rows(AGENT.format(name="once"), tmp_path) == []


def test_a_method_that_the_file_calls_once_is_quiet(tmp_path: Path) -> None:
    text = AGENT.format(name="update")
    assert _rows(text + "\nagent.update(loss)\n", tmp_path) == []
    assert _rows(text + "\nfor loss in losses:\n    agent.update(loss)\n", tmp_path) == [9]


def test_a_loop_of_a_few_iterations_demonstrates_something(tmp_path: Path) -> None:
    text = LOOP.format(clear="pass").replace("in loader", "in range({})")
    assert _rows(text.format(3), tmp_path) == []
    assert _rows(text.format(100), tmp_path) == [7]
