"""Custom Functions that nothing in their file applies."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.project.source import Source
from tests.vm.running import kinds

WITH_SETUP = """
import torch
class Mul(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return x * y
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return {result}
"""
WITH_DEFAULT = """
import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale=2.0, mask=None):
        ctx.scale = scale
        return x * scale
    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.scale, None, None
"""


@pytest.mark.parametrize("program", [WITH_SETUP.format(result="grad * y, grad * x"), WITH_DEFAULT])
def test_every_argument_of_forward_has_a_gradient(program: str) -> None:
    assert analyse(Source("a.py", program)) == []


def test_one_too_few_is_told() -> None:
    (fault,) = analyse(Source("a.py", WITH_SETUP.format(result="grad * y")))
    assert "incorrect number of gradients (expected 2, got 1)" in fault.detail


def test_further_arguments_may_need_gradients() -> None:
    text = (
        "class Solve(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, rhs, *matrices):\n"
        "        result = rhs.exp()\n"
        "        ctx.save_for_backward(result)\n"
        "        return result\n"
        "    @staticmethod\n"
        "    def backward(ctx, grad):\n"
        "        (result,) = ctx.saved_tensors\n"
        "        if any(ctx.needs_input_grad[{first}:]):\n"
        "            result.mul_(-1)\n"
        "        return grad\n"
    )
    assert "saved-tensor-modified" in kinds(text.format(first=1))
    assert kinds(text.format(first=1).replace(", *matrices", "")) == []


OPTIONAL = """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor{default}):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2
"""


def test_what_has_a_default_may_not_be_given_and_wants_no_gradient_then() -> None:
    assert kinds(OPTIONAL.format(default="=2")) == []
    assert kinds(OPTIONAL.format(default="")) == ["custom-function"]
