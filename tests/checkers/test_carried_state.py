"""A graph that a later iteration needs again is told with the place that has kept it."""

from __future__ import annotations

from autograd_lint.analysis.files import analyse
from autograd_lint.project.source import Source

PROGRAM = """
import torch

class Memory:
    def __init__(self):
        self.hidden = torch.zeros(1, 2)

    def push(self, hidden):
        {push}

cell = torch.nn.RNNCell(2, 2)
memory = Memory()
seen = []
state = torch.zeros(1, 2)
for _ in range(3):
    state = cell(torch.randn(1, 2), {read})
    {keep}
    state.sum().backward()
"""


def kept_at(push: str = "pass", read: str = "memory.hidden", keep: str = "pass") -> list[str]:
    """The lines that a program is told to keep a graph in."""
    text = PROGRAM.format(push=push, read=read, keep=keep)
    noted = [one for fault in analyse(Source("a.py", text)) for one in fault.noted]
    rows = text.splitlines()
    return [rows[one.place.row - 1].strip() for one in noted if one.place is not None]


def test_an_attribute_that_keeps_it_is_named() -> None:
    assert kept_at("self.hidden = hidden", keep="memory.push(state)") == ["self.hidden = hidden"]


def test_a_list_that_keeps_it_is_named() -> None:
    assert kept_at(read="seen[-1] if seen else state", keep="seen.append(state)") == [
        "seen.append(state)"
    ]


def test_what_is_cut_before_it_is_kept_is_told_nowhere() -> None:
    assert kept_at("self.hidden = hidden.detach()", keep="memory.push(state)") == []


def test_a_variable_that_the_next_iteration_reads_has_no_other_place() -> None:
    assert kept_at(read="state") == []
