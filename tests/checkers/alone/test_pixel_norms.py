"""Gradient penalties over the channels of images alone."""

import pytest

from tests.vm.running import kinds

PENALTY = """
def penalty(critic, real, made):
    share = torch.rand(len(real), {ones})
    between = (share * real + (1 - share) * made).requires_grad_()
    gradient = torch.autograd.grad(critic(between).sum(), between, create_graph=True)[0]
    {then}
    return ((gradient.{norm} - 1) ** 2).mean()
"""


def test_the_norm_of_each_pixel_is_told() -> None:
    text = PENALTY.format(ones="1, 1, 1", then="pass", norm="norm(2, dim=1)")
    assert kinds(text) == ["penalty-of-pixels"]


@pytest.mark.parametrize(
    ("ones", "then", "norm"),
    [
        ("1", "pass", "norm(2, dim=1)"),
        ("1, 1, 1", "gradient = gradient.flatten(1)", "norm(2, dim=1)"),
        ("1, 1, 1", "pass", "norm(2, dim=(1, 2, 3))"),
    ],
)
def test_the_norm_of_each_sample_is_not(ones: str, then: str, norm: str) -> None:
    assert kinds(PENALTY.format(ones=ones, then=then, norm=norm)) == []
