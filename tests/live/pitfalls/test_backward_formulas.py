"""Custom Functions whose backward is not the derivative of their forward."""

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.live.pitfalls.training import START, here, told
from tests.live.programs import Traced

FUNCTION = """
class Made(torch.autograd.Function):
    @staticmethod
    def forward(ctx, {given}):
        ctx.save_for_backward({given})
        {forward}
    @staticmethod
    def backward(ctx, grad):
        {given}, = ctx.saved_tensors
        return {backward}{mark}
scale, shift = torch.nn.Parameter(torch.rand(4, 3)), torch.nn.Parameter(torch.rand(4, 3))
opt.add_param_group(dict(params=[scale, shift]))
for _ in range(4):
    fit((net[2](Made.apply(net[0](x){used})) - y).square().mean() + (scale + shift).square().sum())
"""


def made(
    forward: str, backward: str, given: str = "x", used: str = "", mark: str = "  # here"
) -> str:
    return FUNCTION.format(given=given, forward=forward, backward=backward, used=used, mark=mark)


WRONG = {
    "a term that is missing": made("return x * x.sigmoid()", "grad * x.sigmoid()"),
    "a function that is bound to a name": made(
        "y = x.tanh() * x; seen = y.detach(); return y", "grad * x.tanh()"
    ).replace("; ", "\n        "),
    "gradients in another order": made(
        "return x * scale + shift",
        "grad * scale, grad, grad * x",
        "x, scale, shift",
        ", scale, shift",
    ),
}

RIGHT = {
    "the derivative": made(
        "return x * x.sigmoid()", "grad * (x.sigmoid() + x * x.sigmoid() * (1 - x.sigmoid()))"
    ),
    "an estimate straight through": made("return x.round()", "grad * 1"),
    "an estimate with bounds": made("return x.sign()", "grad * (x.abs() <= 1)"),
    "a smooth slope for a step": made(
        "return (x > 0).float()", "grad * x.sigmoid() * (1 - x.sigmoid())"
    ),
    "a smooth slope for a kink": made("return -(x - 0.1).abs()", "grad * (0.1 - x)"),
    "a learned step width": made(
        "return (x / 0.1).round() * 0.1", "grad * ((x / 0.1).round() - x / 0.1)"
    ),
    "a reversal": made("return x.view_as(x)", "-0.5 * grad"),
    "a reversal of a product": made("return 2 * x", "-2 * grad"),
    "a gradient that is bounded": made("return x.clone()", "grad.clamp(-0.01, 0.01)"),
    "a gradient that passes a bound": made("return x.clamp(-0.1, 0.1)", "grad * 1"),
    "a forward that draws": made(
        "return x * torch.bernoulli(torch.full_like(x, 0.5))", "grad * x.sigmoid()"
    ),
    "a forward that reads a number": made("return x * x.abs().max().item()", "grad * x.abs()"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_not_the_derivative_is_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("backward-formula", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_derivatives_and_estimates_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []


def test_what_is_trained_is_the_same(tmp_path: Path) -> None:
    text = START + WRONG["a term that is missing"]
    plain: dict[str, Any] = {}
    exec(text, plain)
    traced = Traced(text, tmp_path, ended=True).names
    assert torch.equal(traced["net"][0].weight, plain["net"][0].weight)
