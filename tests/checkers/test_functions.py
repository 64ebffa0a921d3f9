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


def test_a_result_that_is_saved_has_its_graph() -> None:
    assert not told("x.exp()", result="made")


def test_a_first_derivative_needs_no_graph() -> None:
    assert not told("x.exp()", create=False)
