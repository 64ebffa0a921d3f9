"""Custom Functions that do not use the gradient that they are given."""

import pytest

from tests.vm.running import kinds

TEXT = """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, {arguments}):
        x, = ctx.saved_tensors
        return {result}

x = torch.ones(3, requires_grad=True)
{use}
"""


def text(arguments: str = "g", result: str = "2 * x", use: str = "") -> str:
    """A program that differentiates a custom Function."""
    used = use or "(2 * Square.apply(x)).sum().backward()"
    return TEXT.format(arguments=arguments, result=result, use=used)


@pytest.mark.parametrize("name", ["g", "_"])
def test_the_gradient_of_the_result_is_not_read(name: str) -> None:
    assert kinds(text(name)) == ["output-gradient-ignored"]


@pytest.mark.parametrize(
    ("arguments", "result"), [("g", "2 * x * g"), ("*grads", "2 * x * grads[0]"), ("g", "None")]
)
def test_a_gradient_that_is_used_is_quiet(arguments: str, result: str) -> None:
    assert "output-gradient-ignored" not in kinds(text(arguments, result))


def test_the_gradient_of_the_loss_itself_is_one() -> None:
    one = text(use="x = x[0]\nSquare.apply(x).backward()")
    assert kinds(one) == []


@pytest.mark.parametrize(
    ("loss", "told"), [("0.0 + term + x.sum()", False), ("0.5 * term + x.sum()", True)]
)
def test_the_gradient_of_a_term_of_the_loss_is_one(loss: str, told: bool) -> None:
    program = text(use=f"term = Square.apply(x).sum()\n({loss}).backward()")
    assert ("output-gradient-ignored" in kinds(program)) is told


@pytest.mark.parametrize("result", ["torch.ones_like(g)", "x.new_ones(g.shape)", "x.expand_as(g)"])
def test_the_form_of_a_gradient_is_not_its_value(result: str) -> None:
    assert kinds(text(result=result)) == ["output-gradient-ignored"]


def test_zeros_in_the_likeness_of_a_gradient_are_a_cut_that_is_meant() -> None:
    assert kinds(text(result="torch.zeros_like(g)")) == []


SEVERAL = """
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 2 * x, x.log()

    @staticmethod
    def backward(ctx, first, {second}):
        return {result}

x = torch.ones(3, requires_grad=True)
out, log = Scaled.apply(x)
{loss}.backward()
"""


def several(
    second: str = "second",
    result: str = "2 * first",
    loss: str = "(out - log).sum()",
) -> str:
    """A program that differentiates a custom Function with two results."""
    return SEVERAL.format(second=second, result=result, loss=loss)


def test_of_several_gradients_one_that_the_loss_hangs_on_is_not_read() -> None:
    assert "output-gradient-ignored" in kinds(several())


@pytest.mark.parametrize(
    "program",
    [
        several(result="2 * first + second / ctx.saved_tensors[0]"),
        several(loss="out.sum()"),
        several(loss="(out - log.detach()).sum()"),
        several(second="_second"),
        several().replace("2 * x, x.log()", "2 * x, torch.ones(3).log()"),
    ],
)
def test_the_gradient_of_a_result_that_the_loss_does_not_hang_on_may_be_left(program: str) -> None:
    assert "output-gradient-ignored" not in kinds(program)
