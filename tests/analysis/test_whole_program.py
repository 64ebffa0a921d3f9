"""What the run of a program itself shows passes the same evidence as what a harness finds."""

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.faults import Fault
from autograd_lint.project.source import Source

WRITES = """import torch

def step():
    w = torch.ones(3, requires_grad=True)
    w.add_(1)
"""


def only(text: str) -> Fault:
    (found,) = analyse(Source("a.py", text))
    return found


def test_what_the_program_itself_shows_says_so() -> None:
    assert "whole-program" in only(WRITES + "\nstep()\n").signals


def test_what_only_a_harness_shows_does_not() -> None:
    assert "whole-program" not in only(WRITES).signals


def test_what_the_program_itself_calls_rests_on_no_caller() -> None:
    assert only(WRITES + "\nstep()\n").assumptions == frozenset()
