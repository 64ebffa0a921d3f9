"""Values that the forward of a custom Function makes for a backward that is differentiated."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

TEXT = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        made = {made}
        ctx.save_for_backward(x, made)
        return {result}

    @staticmethod
    def backward(ctx, grad):
        x, made = ctx.saved_tensors
        return grad * made * x

x = torch.randn(3, requires_grad=True)
(slope,) = torch.autograd.grad(Own.apply(x).sum(), x, create_graph={create})
"""


def told(made: str, result: str = "made * x", create: bool = True) -> bool:
    return rows(TEXT.format(made=made, result=result, create=create), Pitfall.CUT_IN_BACKWARD) == [
        5
    ]


@pytest.mark.parametrize("made", ["x.exp()", "x.norm(dim=0, keepdim=True)", "F.softmax(x, 0)"])
def test_a_value_that_forward_has_computed_cuts_the_second_derivative(made: str) -> None:
    assert told(made)


@pytest.mark.parametrize("made", ["x > 0", "x.sign()", "x.argmax()", "torch.ones(3)"])
def test_a_value_that_has_no_derivative_cuts_nothing(made: str) -> None:
    assert not told(made)


SLOPE = """
class Leaky(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bias):
        total = x + bias
        ctx.save_for_backward(total)
        return torch.where(total > 0, total, 0.1 * total)

    @staticmethod
    def backward(ctx, grad):
        (total,) = ctx.saved_tensors
        slope = {}
        return grad * slope, (grad * slope).sum(0)

x, bias = torch.randn(4, 3, requires_grad=True), torch.zeros(3, requires_grad=True)
(slope,) = torch.autograd.grad(Leaky.apply(x, bias).pow(2).sum(), x, create_graph=True)
"""


@pytest.mark.parametrize(
    ("slope", "found"),
    [
        ("torch.where(total > 0, 1.0, 0.1)", []),
        ("(total > 0).to(grad.dtype)", []),
        ("torch.ones_like(grad).masked_fill(total <= 0, 0.1)", []),
        ("total", [5]),
        ("total * (total > 0)", [5]),
    ],
)
def test_a_value_that_backward_only_compares_cuts_nothing(slope: str, found: list[int]) -> None:
    assert rows(SLOPE.format(slope), Pitfall.CUT_IN_BACKWARD) == found


def test_a_result_that_is_saved_has_its_graph() -> None:
    assert not told("x.exp()", result="made")


def test_a_first_derivative_needs_no_graph() -> None:
    assert not told("x.exp()", create=False)
