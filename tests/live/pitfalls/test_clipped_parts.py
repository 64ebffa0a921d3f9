"""Sums of gradients that are clipped after each part."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

CLIP = "torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)"
WRONG = {
    "a clipping after each part": f"""
for _ in range(3):
    for part, wanted in zip(x, y):
        (net(part) - wanted).square().mean().backward()
        {CLIP}  # here
    opt.step()
    opt.zero_grad()
""",
}

RIGHT = {
    "one of the sum": f"""
for _ in range(3):
    for part, wanted in zip(x, y):
        (net(part) - wanted).square().mean().backward()
    {CLIP}
    opt.step()
    opt.zero_grad()
""",
    "one before each step": f"""
for _ in range(3):
    for part, wanted in zip(x, y):
        opt.zero_grad()
        (net(part) - wanted).square().mean().backward()
        {CLIP}
        opt.step()
""",
    "one of each sample, gathered elsewhere": f"""
for _ in range(3):
    total = [torch.zeros_like(p) for p in net.parameters()]
    for part, wanted in zip(x, y):
        net.zero_grad()
        (net(part) - wanted).square().mean().backward()
        {CLIP}
        for t, p in zip(total, net.parameters()):
            t += p.grad
    for t, p in zip(total, net.parameters()):
        p.grad = t / len(x)
    opt.step()
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_parts_that_are_clipped_are_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("clip-in-vain", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_sums_that_are_clipped_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []
