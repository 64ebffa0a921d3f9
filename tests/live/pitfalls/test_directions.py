"""Whether one tensor is a multiple of another one."""

import torch

from autograd_lint.live.pitfalls.directions import is_along


def test_a_multiple_has_the_same_direction() -> None:
    one = torch.tensor([1.0, -2.0, 3.0])
    assert is_along(-0.5 * one, one)


def test_other_tensors_have_another_one() -> None:
    one = torch.tensor([1.0, -2.0, 3.0])
    assert not is_along(one.abs(), one)
    assert not is_along(one, torch.zeros(3))
    assert not is_along(one, one[:2])
