"""Recurrences whose state is detached: noted where each step is cut off, and all are trained."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree
from tests.vm.running import kinds

TEXT = """
cell, head = nn.GRUCell(2, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
x, h, loss = torch.ones(3, 20, 2), torch.zeros(3, 4), 0.0
for t in range(20):
    h = cell(x[:, t], h)
    {within}
{after}
"""
SUMMED = "loss = loss + head(h).mean()"
TRAINING = "loss.backward(); optimizer.step(); optimizer.zero_grad()"


def text(*within: str, after: str = TRAINING) -> str:
    """A program that steps a cell in a loop."""
    return TEXT.format(within="\n    ".join(within), after=after)


@pytest.mark.parametrize("cut", ["h = h.detach()", "h = h.data", "h = torch.tanh(h.detach())"])
def test_a_state_that_each_step_cuts_is_told(cut: str) -> None:
    assert kinds(text(SUMMED, cut)) == ["recurrence-cut"]


def test_a_loop_that_trains_in_each_step_is_quiet() -> None:
    within = "loss = head(h).mean()", TRAINING, "h = h.detach()"
    assert kinds(text(*within, after="pass")) == []


def test_a_cut_now_and_then_is_quiet() -> None:
    assert kinds(text(SUMMED, "if t % 5 == 4:", "    h = h.detach()")) == []


def test_a_state_that_is_kept_apart_is_quiet() -> None:
    assert kinds(text(SUMMED, "last = h.detach()")) == []


def test_a_sum_of_other_weights_is_no_recurrence() -> None:
    program = """
first, second = nn.Linear(2, 2), nn.Linear(2, 2)
h, loss = torch.ones(3, 2), 0.0
for _ in range(4):
    h = first(h.detach())
    loss = loss + second(h).mean()
loss.backward()
"""
    assert kinds(program) == []


def test_an_output_that_is_fed_back_beside_a_state_is_quiet() -> None:
    program = """
embed, cell, head = nn.Linear(3, 4), nn.GRUCell(4, 4), nn.Linear(4, 1)
h, y, loss = torch.zeros(3, 4), torch.zeros(3, 1), 0.0
for t in range(5):
    h = cell(embed(torch.cat([torch.ones(3, 2), y.detach()], -1)), h)
    y = head(h)
    loss = loss + y.mean()
loss.backward()
"""
    assert kinds(program) == []


def test_chunks_of_several_steps_that_are_cut_apart_are_quiet() -> None:
    program = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(6, 4)

    def forward(self, x, h):
        for t in range(3):
            h = torch.tanh(self.cell(torch.cat([x, h], -1)))
        return h

net, h, loss = Net(), torch.zeros(3, 4), 0.0
for _ in range(4):
    h = net(torch.ones(3, 2), h.detach())
    loss = loss + h.mean()
loss.backward()
"""
    assert kinds(program) == []


@pytest.mark.parametrize(
    ("other", "told"),
    [
        pytest.param("h, _ = self.cell(x, h)", [], id="the same without the cut"),
        pytest.param("h = self.head(x)", ["recurrence-cut"], id="something else"),
    ],
)
def test_a_cut_beside_the_same_without_it_is_an_option(other: str, told: list[str]) -> None:
    program = f"""
class Net(nn.Module):
    def __init__(self, truncated):
        super().__init__()
        self.cell, self.head, self.truncated = nn.GRU(2, 4), nn.Linear(4, 1), truncated
    def forward(self, x):
        h = torch.zeros(1, 3, 4)
        if self.truncated:
            for step in x:
                _, h = self.cell(step[None], h.detach())
        else:
            {other}
        return self.head(h)

net = Net(True)
net(torch.ones(5, 3, 2)).mean().backward()
"""
    assert kinds(program) == told


TIMING = """
from functools import wraps

def timed(function):
    @wraps(function)
    def wrapper(*args):
        function(*args)
    return wrapper
"""
TIMED = """import torch  # µ
from timing import timed
@timed
def fill(): torch.nn.Linear(3, 3).weight.data.fill_(1)
"""


def test_what_no_code_of_a_file_calls_has_no_loop_around_it(tmp_path: Path) -> None:
    write_tree(tmp_path, {"timing.py": "\n" * 60 + TIMING, "filling.py": TIMED})
    source = Source(str(tmp_path / "filling.py"), TIMED)
    assert list(analyse(source, Project([tmp_path]))) == []
