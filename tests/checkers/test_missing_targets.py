"""Targets without a number that are masked after they were compared, and bounds of clamps."""

import pytest

from tests.vm.running import kinds

TEXT = """
import torch.nn.functional as F
net = nn.Linear(3, 2)
def loss_of(pred, y):
    known = ~torch.isnan(y)
    {body}
loss_of(net(torch.randn(4, 3)), torch.randn(4, 2)).backward()
"""


@pytest.mark.parametrize(
    "body",
    [
        "return (pred - y).square()[known].mean()",
        "return torch.where(known, F.mse_loss(pred, y, reduction='none'), 0.0).sum()",
        "return ((pred - y) ** 2).masked_fill(~known, 0).sum()",
        "return ((pred - y) ** 2).nanmean()",
        "return ((pred - y).abs() / y)[known].mean()",
        "error = (pred - y) ** 2 * known.float()\n    return error.nanmean()",
    ],
)
def test_a_mask_behind_the_squares_is_told(body: str) -> None:
    assert kinds(TEXT.format(body=body)) == ["masked-singularity"]


@pytest.mark.parametrize(
    "body",
    [
        "return (pred[known] - y[known]).square().mean()",
        "y = torch.where(known, y, 0.0)\n    return (pred - y).square()[known].mean()",
        "y[~known] = 0\n    return (pred - y).square()[known].mean()",
        "return (pred - y).abs()[known].mean()",
        "error = (pred - y).abs() * known.float()\n    return error.nanmean()",
        "return (2 * (pred - y).abs())[known].mean()",
        "return pred.square()[known].mean()",
    ],
)
def test_targets_that_are_numbers_by_then_are_quiet(body: str) -> None:
    assert kinds(TEXT.format(body=body)) == []


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("torch.acos(x.clamp(-1, 1))", True),
        ("torch.clamp(x, min=0.0).sqrt()", True),
        ("x.clamp_min(0) ** 0.5", True),
        ("torch.acos(x.clamp(-0.999, 0.999))", False),
        ("x.clamp(min=1e-6).sqrt()", False),
        ("x.clamp(min=0).square()", False),
        ("x.relu().sqrt()", False),
    ],
)
def test_a_bound_at_which_the_derivative_is_infinite_is_told(function: str, told: bool) -> None:
    program = f"net = nn.Linear(3, 2)\nx = net(torch.randn(4, 3))\n({function}).sum().backward()"
    assert bool(kinds(program)) is told
