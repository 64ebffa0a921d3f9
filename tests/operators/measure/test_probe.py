"""The black box probe on operators whose derivative is plain to see."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograd_lint.operators.facts import AliasKind
from autograd_lint.operators.measure.calls import FunctionCall
from autograd_lint.operators.measure.probe import probe
from autograd_lint.operators.measure.trials import Trial

X = torch.tensor([0.3, 0.6])


def trial(function: Callable[..., Any], *arguments: Any, grad: str = "0") -> Trial:
    case = probe(FunctionCall(function, arguments))
    assert case is not None
    return next(each for each in case.trials if each.grad == frozenset(grad))


def test_a_saved_argument_raises_when_its_version_is_raised() -> None:
    assert trial(torch.sin, X).raised == {"0": True, "out0": False}


def test_a_saved_result_raises_when_its_version_is_raised() -> None:
    assert trial(torch.exp, X).raised == {"0": False, "out0": True}


def test_nothing_saved_is_nothing_freed() -> None:
    assert trial(torch.neg, X).freed is False
    assert trial(torch.exp, X).freed is True


def test_a_gradient_may_depend_on_what_was_kept_inside() -> None:
    assert trial(torch.nn.functional.log_softmax, X).curved is False  # its result is saved
    assert trial(lambda x: x.exp().sum(), X).curved is True
    assert trial(lambda x: (x * 2).sum(), X).curved is False


def test_a_written_argument_is_seen_by_its_version() -> None:
    assert trial(torch.Tensor.add_, X, 1).modified == {"0"}


def test_a_write_that_bumps_nothing_is_seen_by_its_value() -> None:
    def behind_the_counter(tensor: torch.Tensor) -> None:
        tensor.data.add_(1)

    found = trial(behind_the_counter, X, grad="")
    assert (found.modified, found.silent) == (frozenset(), {"0"})


def test_a_write_into_a_plain_tensor_makes_it_require_grad() -> None:
    assert trial(torch.Tensor.copy_, X, X, grad="1").differentiable


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda x: x, AliasKind.SELF),
        (lambda x: x[:1], AliasKind.VIEW),
        (lambda x: x.unbind()[0], AliasKind.MULTI_VIEW),
        (lambda x: x.detach(), AliasKind.DETACHED),
        (lambda x: x.data, AliasKind.UNVERSIONED),
    ],
)
def test_shared_memory_is_told_apart(function: Callable[..., Any], kind: AliasKind) -> None:
    assert trial(function, X).results[0].alias == ("0", kind)


def test_a_copy_shares_nothing() -> None:
    assert trial(torch.clone, X).results[0].alias is None


def test_a_call_that_cannot_run_is_no_case() -> None:
    assert probe(FunctionCall(torch.add, (X,))) is None


def test_an_argument_that_must_not_require_grad_is_refused() -> None:
    case = probe(FunctionCall(torch.nn.functional.soft_margin_loss, (X, X.sign())))
    assert case is not None
    assert case.refused == {"1"}
