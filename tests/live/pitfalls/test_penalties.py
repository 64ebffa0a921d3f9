"""Penalties on a gradient that are cut out of the loss."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "detached where it is made": """
for _ in range(2):
    near = x.clone().requires_grad_()
    out = net(near)
    (gradient,) = torch.autograd.grad(out.sum(), near, create_graph=True)
    penalty = gradient.square().sum(1).detach()  # here
    fit((out - y).square().mean() + 10 * penalty.mean())
""",
}

RIGHT = {
    "with its graph": """
for _ in range(2):
    near = x.clone().requires_grad_()
    out = net(near)
    (gradient,) = torch.autograd.grad(out.sum(), near, create_graph=True)
    penalty = gradient.square().sum(1)
    print(penalty.detach().mean())
    fit((out - y).square().mean() + 10 * penalty.mean())
""",
    "a weight": """
for _ in range(2):
    near = x.clone().requires_grad_()
    out = net(near)
    (gradient,) = torch.autograd.grad(out.sum(), near, create_graph=True)
    weight = gradient.square().sum(1).detach()
    fit((weight[:, None] * (out - y).square() + gradient.square().sum()).mean())
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_penalties_that_are_detached_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("penalty-without-graph", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_penalties_that_train_or_are_shown_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
