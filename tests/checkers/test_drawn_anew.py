"""Checkpoints that draw other random numbers in backward than in the forward."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

TEXT = """
from torch.utils.checkpoint import checkpoint

drop, linear = nn.Dropout(0.5), nn.Linear(2, 2)
out = checkpoint({function}, torch.ones(2), use_reentrant=False, preserve_rng_state={kept})
{then}
"""


def is_told(
    function: str = "lambda x: drop(linear(x))",
    kept: str = "False",
    then: str = "out.sum().backward()",
) -> bool:
    """Whether it is told of a checkpoint of a function."""
    return Pitfall.DRAWN_ANEW in noted(TEXT.format(function=function, kept=kept, then=then))


def test_dropout_that_drops_anew_is_told() -> None:
    assert is_told()


@pytest.mark.parametrize("function", ["linear", "lambda x: linear(x).relu()"])
def test_what_draws_nothing_is_quiet(function: str) -> None:
    assert not is_told(function)


def test_generators_that_are_put_back_are_quiet() -> None:
    assert not is_told(kept="True")


def test_without_a_backward_nothing_runs_again() -> None:
    assert not is_told(then="print(out)")


def test_a_program_that_puts_the_generators_back_itself_is_quiet() -> None:
    assert not is_told(then="torch.random.fork_rng()\nout.sum().backward()")


def test_dropout_in_evaluation_mode_draws_nothing() -> None:
    assert not is_told("lambda x: drop.eval()(linear(x))")
