"""The pitfalls that are noted in a program."""

from collections.abc import Callable, Iterable
from textwrap import dedent

from autograd_lint.analysis import analyse
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source

HEAD = """\
import copy
import torch
from torch import nn
import torch.nn.functional as F

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = [(torch.randn(3, 4), torch.randn(3, 1)) for _ in range(4)]
"""


def noted(program: str, head: str = HEAD) -> set[Pitfall]:
    """The kinds of pitfalls in `program`, which comes after a model, an optimizer and data."""
    faults = analyse(Source("program.py", head + dedent(program)))
    return {fault.kind for fault in faults if isinstance(fault.kind, Pitfall) and fault.weight <= 1}


def told_at(judge: Callable[[Source], Iterable[Fault]], text: str) -> list[int]:
    """The rows at which a judge of the text of a file tells something."""
    return [fault.place.row for fault in judge(Source("a.py", text)) if fault.place]


def rows(program: str, kind: Pitfall | FaultKind, head: str = HEAD) -> list[int]:
    """The rows of the program at which one kind of fault is noted, counted from 1."""
    faults = analyse(Source("program.py", head + dedent(program)))
    places = [fault.place for fault in faults if fault.kind is kind]
    return [place.row - head.count("\n") for place in places if place is not None]
