"""Batch normalization in checkpoints, whose statistics move again in backward."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

TEXT = """
from torch.utils.checkpoint import checkpoint

norm, linear = nn.BatchNorm1d(2{options}), nn.Linear(2, 2)
{before}
x = torch.ones(4, 2, requires_grad=True)
out = checkpoint({function}, x, use_reentrant={reentrant})
{then}
"""


def is_told(
    function: str = "lambda x: linear(norm(x))",
    options: str = "",
    before: str = "",
    reentrant: str = "False",
    then: str = "out.sum().backward()",
) -> bool:
    """Whether it is told of a checkpoint of a function."""
    program = TEXT.format(
        function=function, options=options, before=before, reentrant=reentrant, then=then
    )
    return Pitfall.UPDATED_TWICE in noted(program)


@pytest.mark.parametrize("reentrant", ["True", "False"])
def test_a_layer_that_backward_runs_again_is_told(reentrant: str) -> None:
    assert is_told("norm", reentrant=reentrant)


def test_a_layer_in_a_function_is_told() -> None:
    assert is_told()


def test_without_a_backward_nothing_runs_again() -> None:
    assert not is_told(then="print(out)")


def test_a_layer_outside_of_the_checkpoint_is_quiet() -> None:
    assert not is_told("linear", then="norm(out).sum().backward()")


@pytest.mark.parametrize("before", ["norm.eval()", "norm.momentum = 0.05"])
def test_statistics_that_stay_or_are_allowed_for_are_quiet(before: str) -> None:
    assert not is_told(before=before)


@pytest.mark.parametrize("options", [", momentum=None", ", track_running_stats=False"])
def test_statistics_that_a_second_run_leaves_alone_are_quiet(options: str) -> None:
    assert not is_told(options=options)
