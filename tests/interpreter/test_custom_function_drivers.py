"""Custom Functions that nothing in their file applies."""

import pytest

from autograd_lint.interpreter import analyse
from autograd_lint.project.source import Source

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
