"""Gradients that are kept by reference and averaged with later ones."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

STEPS = """
velocity = {{}}
for _ in range(3):
    for p in net.parameters():
        if p.grad is not None:
            p.grad.zero_()
    (net(x) - y).square().mean().backward(){mark}
    with torch.no_grad():
        for p in net.parameters():
            {update}
            p.sub_(velocity[p], alpha=0.1)
"""

WRONG = {
    "momentum": "velocity[p] = p.grad if p not in velocity else velocity[p].mul_(0.9).add_(p.grad)",
    "an average": (
        "velocity[p] = p.grad if p not in velocity else velocity[p].lerp_(p.grad.detach(), 0.1)"
    ),
}

RIGHT = {
    "a copy": (
        "velocity[p] = p.grad.clone() if p not in velocity else velocity[p].mul_(0.9).add_(p.grad)"
    ),
    "another tensor": (
        "velocity[p] = p.grad if p not in velocity else velocity[p].mul(0.9).add(p.grad)"
    ),
    "a decay of the gradient": "velocity[p] = p.grad.add_(p, alpha=0.01)",
}


@pytest.mark.parametrize("name", WRONG)
def test_the_backward_that_fills_what_is_kept_is_told(name: str, tmp_path: Path) -> None:
    source = STEPS.format(mark="  # here", update=WRONG[name])
    assert told(source, tmp_path) == here("snapshot-overwritten", source)


@pytest.mark.parametrize("name", RIGHT)
def test_averages_of_their_own_memory_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(STEPS.format(mark="", update=RIGHT[name]), tmp_path) == []
