"""What a custom Function keeps for its backward where all of its calls do."""

import pytest

from autograd_lint.checkers.alone import class_states
from autograd_lint.project.source import Source

FUNCTION = """
import torch

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {kept}
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad * {read}
"""


def rows(kept: str, read: str = "Square.x") -> list[int]:
    source = Source("a.py", FUNCTION.format(kept=kept, read=read))
    return [fault.place.row for fault in class_states.judge(source) if fault.place]


@pytest.mark.parametrize("kept", ["Square.x = x", "y = x.clone(); Square.x = y"])
def test_what_the_class_keeps_is_that_of_the_latest_call(kept: str) -> None:
    assert rows(kept) == [7]


def test_a_global_name_is_one_for_all_calls() -> None:
    assert rows("global KEPT; KEPT = x", "KEPT") == [7]


def test_the_context_is_that_of_one_call() -> None:
    assert rows("ctx.x = x", "ctx.x") == []


def test_what_no_backward_reads_does_no_harm() -> None:
    assert rows("Square.x = x", "ctx.y") == []


def test_a_constant_is_the_same_in_each_call() -> None:
    assert rows("Square.x = 2.0") == []
