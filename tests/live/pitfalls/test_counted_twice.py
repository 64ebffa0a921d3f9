"""Backwards through a loss whose gradients are there already."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "a running sum": """
for _ in range(3):
    total = 0.0
    opt.zero_grad()
    for part, wanted in zip(x, y):
        total = total + (net(part) - wanted).square().mean()
        total.backward(retain_graph=True)  # here
    opt.step()
""",
    "a part of the loss that has had its own": """
for _ in range(3):
    first = (net(x) - y).square().mean()
    opt.zero_grad()
    first.backward(retain_graph=True)
    (first + net(x).abs().mean()).backward()  # here
    opt.step()
""",
}

RIGHT = {
    "each term by itself": """
for _ in range(3):
    opt.zero_grad()
    for part, wanted in zip(x, y):
        (net(part) - wanted).square().mean().backward()
    opt.step()
""",
    "gradients that are cleared in between": """
for _ in range(3):
    first = (net(x) - y).square().mean()
    opt.zero_grad()
    first.backward(retain_graph=True)
    norm = net[0].weight.grad.norm()
    opt.zero_grad()
    (first + net(x).abs().mean()).backward()
    opt.step()
""",
    "a gradient that is asked for by name": """
for _ in range(3):
    first = (net(x) - y).square().mean()
    slopes = torch.autograd.grad(first, [*net.parameters()], create_graph=True)
    fit(first + sum(one.square().sum() for one in slopes))
""",
    "terms that share a graph": """
for _ in range(3):
    out = net(x)
    opt.zero_grad()
    (out - y).square().mean().backward(retain_graph=True)
    out.abs().mean().backward()
    opt.step()
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_losses_that_are_walked_again_are_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("term-counted-twice", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_terms_that_count_once_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []
