"""What the fields of a dataclass are filled with."""

from autograd_lint.analysis import analyse
from autograd_lint.project.source import Source

PROGRAM = """
from dataclasses import dataclass, field
import torch

@dataclass
class State:
    value: torch.Tensor
    history: list = field({default})
    {more}

w = torch.rand(3, requires_grad=True)
first, second = State(w), State(w)
first.history.append(w)
if len(second.history):
    w.mul_(2)
"""


def rows(default: str, more: str = "") -> list[int]:
    found = analyse(Source("a.py", PROGRAM.format(default=default, more=more)))
    return [fault.place.row for fault in found if fault.place and not fault.assumptions]


def test_every_object_gets_a_list_of_its_own() -> None:
    assert rows("default_factory=list") == []


def test_a_default_is_shared() -> None:
    assert rows("default=[]") == [15]


def test_post_init_runs_when_the_fields_are_filled() -> None:
    more = "def __post_init__(self): self.history.append(self.value)"
    assert rows("default_factory=list", more) == [15]
