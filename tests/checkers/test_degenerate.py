"""Functions that give no number for data that may come."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import NEVER_COUNTED, TOO_SHORT
from autograd_lint.project.source import Source

HEAD = """\
import torch
from torch import nn
import torch.nn.functional as F
from data import frames, letters, texts, target, x

net = nn.Linear(4, 5)
out = net(torch.randn(6, 4))
"""


def details(program: str) -> list[str]:
    """The details of what a program is told, each of which has to rest on the data."""
    faults = analyse(Source("program.py", HEAD + program))
    found = [one for one in faults if one.detail in (TOO_SHORT, NEVER_COUNTED)]
    assert all(Kind.DATA_DEGENERATE in {why.kind for why in one.assumptions} for one in found)
    return [one.detail for one in found]


@pytest.mark.parametrize(
    ("criterion", "told"),
    [
        ("nn.CTCLoss()", True),
        ("nn.CTCLoss(zero_infinity=False)", True),
        ("nn.CTCLoss(zero_infinity=True)", False),
        ("nn.CTCLoss(zero_infinity=frames)", False),
    ],
)
def test_a_ctc_loss_is_infinite_unless_it_is_told_not_to_be(criterion: str, told: bool) -> None:
    program = f"""
loss = {criterion}(out[:, None].log_softmax(-1), texts, frames, letters)
loss.backward()
"""
    assert details(program) == [TOO_SHORT] * told


def test_a_program_that_asks_what_is_finite_is_left_alone() -> None:
    program = """
loss = F.ctc_loss(out[:, None].log_softmax(-1), texts, frames, letters)
if torch.isfinite(loss):
    loss.backward()
"""
    assert details(program) == []


@pytest.mark.parametrize(
    ("frames", "letters", "told"),
    [
        ("[4, 4]", "[2, 6]", True),
        ("[6, 6]", "[2, 6]", False),
        ("frames", "[2, 6]", False),
        ("[4, 4]", "letters", True),
    ],
)
def test_lengths_that_the_program_makes_tell_whether_a_text_is_too_long(
    frames: str, letters: str, told: bool
) -> None:
    program = f"""
loss = F.ctc_loss(
    out[:, None].log_softmax(-1), texts, torch.tensor({frames}), torch.tensor({letters})
)
loss.backward()
"""
    faults = analyse(Source("program.py", HEAD + program))
    found = [one for one in faults if one.detail == TOO_SHORT]
    assert len(found) == told
    kinds = {why.kind for one in found for why in one.assumptions}
    assert (Kind.DATA_DEGENERATE in kinds) is (told and letters == "letters")


COUNT = """
count = torch.zeros(3)
count = count.{counted}
total = torch.zeros(3, 5).index_add(0, target, out)
mean = {mean}
mean.sum().backward()
"""
ONES = "index_add(0, target, torch.ones(6))"


@pytest.mark.parametrize(
    ("counted", "mean", "told"),
    [
        (ONES, "total / count[:, None]", True),
        (ONES, "total / count.unsqueeze(1)", True),
        (ONES, "total * (1 / count)[:, None]", True),
        ("scatter_add_(0, target, torch.ones(6))", "total / count.view(-1, 1)", True),
        (ONES, "total / count.clamp(min=1)[:, None]", False),
        (ONES, "total / (count[:, None] + 1e-6)", False),
        (ONES, "total * (1 / count.clamp(min=1))[:, None]", False),
        ("index_add(0, target, x)", "total / count[:, None]", False),
    ],
)
def test_a_division_by_what_was_counted(counted: str, mean: str, told: bool) -> None:
    assert details(COUNT.format(counted=counted, mean=mean)) == [NEVER_COUNTED] * told
