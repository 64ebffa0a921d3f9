"""What is the matter with a gradient, on operators of which the documentation tells it."""

import pytest
import torch
from torch.nn.functional import hardsigmoid

from autograd_lint.operators.facts import GapKind
from autograd_lint.operators.measure.gaps import find_gap


@pytest.fixture
def leaf() -> torch.Tensor:
    return torch.tensor([0.3, 0.6], requires_grad=True)


def test_an_ordinary_gradient_has_no_gap(leaf: torch.Tensor) -> None:
    assert find_gap([leaf.sin()], [leaf]) is None


def test_a_missing_derivative_is_refused(leaf: torch.Tensor) -> None:
    assert find_gap([leaf // 2], [leaf]) is GapKind.REFUSED


def test_the_derivative_may_miss_in_one_argument_only(leaf: torch.Tensor) -> None:
    other = torch.tensor([1.0, 2.0])
    assert find_gap([torch.igamma(leaf, other)], [leaf]) is GapKind.REFUSED
    assert find_gap([torch.igamma(other, leaf)], [leaf]) is None


def test_a_norm_of_order_zero_gives_no_gradient(leaf: torch.Tensor) -> None:
    assert find_gap([leaf.norm(0)], [leaf]) is GapKind.NOTHING


def test_a_gradient_may_have_no_derivative(leaf: torch.Tensor) -> None:
    assert find_gap([hardsigmoid(leaf)], [leaf]) is GapKind.ONCE
