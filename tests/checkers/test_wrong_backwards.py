"""Custom Functions whose gradients are held against the derivatives of what they compute."""

import pytest

from tests.vm.running import kinds

TEXT = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return {forward}

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return {backward}

x, y = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
Own.apply(x, y).sum().backward()
"""


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        ("x * y", "grad * x, grad * y"),
        ("x * y.exp()", "grad * y.exp(), grad * x"),
        ("x / y", "grad / y, grad * x / y"),
        ("1 / x + y", "grad / x, grad"),
        ("(x * y).sum()", "grad * y, -grad * x"),
    ],
)
def test_another_formula_is_told(forward: str, backward: str) -> None:
    assert kinds(TEXT.format(forward=forward, backward=backward)) == ["backward-formula"]


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        ("x * y", "grad * y, grad * x"),
        ("x / y", "grad / y, -grad * x / y.pow(2)"),
        ("2 - x * y", "-grad * y, -(grad * x)"),
        ("x.tanh() * y", "grad * y * (1 - x.tanh() ** 2), grad * x.tanh()"),
        ("x * y", "grad, grad * x"),
        ("(x * y).round()", "grad * x, grad * y"),
        ("(x * y).mean()", "grad * y / 3, grad * x / 3"),
    ],
)
def test_the_derivative_is_quiet_and_so_is_what_cannot_be_told(forward: str, backward: str) -> None:
    assert kinds(TEXT.format(forward=forward, backward=backward)) == []


def test_a_reversal_is_meant() -> None:
    program = """
class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, rate):
        ctx.rate = rate
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.rate * grad, None

Reversed.apply(torch.randn(3, requires_grad=True), 0.5).sum().backward()
"""
    assert kinds(program) == []


SCALED = """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return {forward}

    @staticmethod
    def backward(ctx, grad):
        return grad, None

x = torch.randn(3, requires_grad=True)
Scale.apply(x, {factor}).sum().backward()
"""


@pytest.mark.parametrize(
    ("forward", "factor", "found"),
    [
        ("x * factor", "3.0", ["backward-formula"]),
        ("x / factor", "2", ["backward-formula"]),
        ("x * factor", "1.0", []),
        ("x * factor", "torch.ones(3)", []),
        ("x.exp() * factor", "3.0", []),
    ],
)
def test_a_gradient_that_is_handed_on_lacks_the_number_that_forward_multiplies_by(
    forward: str, factor: str, found: list[str]
) -> None:
    assert kinds(SCALED.format(forward=forward, factor=factor)) == found


SMOOTHED = """
class Log(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, mean):
        ctx.save_for_backward(mean)
        return {forward}

    @staticmethod
    def backward(ctx, grad):
        (mean,) = ctx.saved_tensors
        return grad / mean, None

Log.apply(torch.ones(3, requires_grad=True), torch.ones(3)).sum().backward()
"""


@pytest.mark.parametrize(
    ("forward", "found"),
    [
        pytest.param("x.log()", [], id="for the gradient alone"),
        pytest.param("x.log() * mean", ["backward-formula"], id="for the result too"),
    ],
)
def test_a_gradient_by_a_tensor_that_is_given_for_it_alone_is_meant(
    forward: str, found: list[str]
) -> None:
    assert kinds(SMOOTHED.format(forward=forward)) == found
