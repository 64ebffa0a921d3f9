"""Custom Functions whose backward leaves out the chain rule, or what has no graph."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

# `# here` marks the line to be named where a program is wrong.
CLIP = """
class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()
    @staticmethod
    def backward(ctx, {gradient}):  # here
        (x,) = ctx.saved_tensors
        return {result}
for _ in range(2):
    fit({loss})
"""
LEAKY = """
class Leaky(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bias):
        shifted = x + bias
        ctx.save_for_backward(shifted)  # here
        return {result}
    @staticmethod
    def backward(ctx, gradient):
        (shifted,) = ctx.saved_tensors
        slope = {slope}
        return gradient * slope, (gradient * slope).sum(0)
bias = torch.zeros(3, requires_grad=True)
for _ in range(2):
    point = torch.randn(8, 2, requires_grad=True)
    out = net[2](Leaky.apply(net[0](point), bias)).sum()
    (slope,) = torch.autograd.grad(out, point, create_graph=True)
    opt.zero_grad()
    bias.grad = None
    (out + slope.square().sum()).backward()
    opt.step()
"""
ERROR = "(Clip.apply(net(x)) - y).square().sum()"
MASK = "(x.abs() < 1).to(x.dtype)"
LEAK = "torch.where(shifted > 0, shifted, 0.2 * shifted)"


def clip(result: str, loss: str = ERROR, gradient: str = "gradient") -> str:
    """A program with a Function whose backward gives `result`."""
    return CLIP.format(result=result, loss=loss, gradient=gradient)


# The rule, and what is wrong.
WRONG = {
    "backward returns the mask alone": ("output-gradient-ignored", clip(MASK)),
    "its result is scaled": (
        "output-gradient-ignored",
        clip(MASK, "(3 * Clip.apply(net(x))).sum()"),
    ),
    "the second derivative of what is saved": (
        "cut-in-backward",
        LEAKY.format(
            result=f"{LEAK} * shifted",
            slope="torch.where(shifted > 0, 2 * shifted, 0.4 * shifted)",
        ),
    ),
}
RIGHT = {
    "the mask is multiplied in": clip("gradient * (x.abs() < 1)"),
    "the Function gives the loss": clip("torch.ones_like(x)", "Clip.apply(net(x)).sum()"),
    "the gradient is called nothing": clip("torch.ones_like(x)", gradient="_"),
    "the gradient is cut": clip("torch.zeros_like(x)"),
    "what is saved is only compared": LEAKY.format(
        result=LEAK, slope="torch.full_like(shifted, 0.2).masked_fill(shifted > 0, 1)"
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_backward_that_is_wrong_is_told(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.parametrize("name", RIGHT)
def test_a_backward_that_is_meant_so_is_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []


KEPT = """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {kept}
        return x * x
    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.slope
for _ in range(2):
    point = torch.randn(8, 2, requires_grad=True)
    out = net[2](Square.apply(net[0](point))).sum()
    (slope,) = torch.autograd.grad(out, point, create_graph=True)
    fit(slope.square().sum() + (net(x) - y).square().sum())
"""


def test_a_slope_on_the_context_that_a_second_derivative_takes_as_constant_is_told(
    tmp_path: Path,
) -> None:
    source = KEPT.format(kept="ctx.slope = 2 * x  # here")
    assert told(source, tmp_path) == here("cut-in-backward", source)


def test_a_number_on_the_context_is_quiet(tmp_path: Path) -> None:
    assert told(KEPT.format(kept="ctx.slope = 2.0"), tmp_path) == []


WRITING = """
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()
    @staticmethod
    def backward(ctx, gradient):
        {scaled}
        return gradient
for _ in range(2):
    h = net[0](x)
    fit(net[2](h + Scaled.apply(h.tanh())).square().sum())
"""


def test_a_backward_that_writes_to_the_gradient_that_it_is_handed_is_told(tmp_path: Path) -> None:
    source = WRITING.format(scaled="gradient *= 0.1  # here")
    assert told(source, tmp_path) == here("hook-modifies-gradient", source)


def test_a_backward_that_writes_to_a_copy_is_quiet(tmp_path: Path) -> None:
    assert told(WRITING.format(scaled="gradient = gradient.clone().mul_(0.1)"), tmp_path) == []
