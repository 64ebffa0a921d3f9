"""Custom Functions whose `forward` is called instead of `apply`."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

HEAD = """\
import torch

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad

class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return Twice.forward(ctx, x)

    @staticmethod
    def backward(ctx, grad):
        return grad

w = torch.ones(2, requires_grad=True)
"""


@pytest.mark.parametrize("context", ["None", "object()", "torch.nn.Linear(2, 1)"])
def test_forward_of_a_function_passes_its_backward_over(context: str) -> None:
    program = f"Twice.forward({context}, w).sum().backward()\n"
    assert rows(program, Pitfall.FORWARD_CALLED, HEAD) == [1]


@pytest.mark.parametrize(
    "program",
    [
        "Twice.apply(w).sum().backward()\n",
        "Both.apply(w).sum().backward()\n",
        "Twice.forward(None, torch.ones(2))\n",
        "with torch.no_grad():\n    Twice.forward(None, w)\n",
        "Twice.forward(None, w.detach())\n",
    ],
)
def test_forward_where_no_gradient_is_wanted_is_let_be(program: str) -> None:
    assert rows(program, Pitfall.FORWARD_CALLED, HEAD) == []
