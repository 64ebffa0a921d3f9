"""Gradients that are read after they have been cleared."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

STEPS = """
total = torch.zeros(3, 2)
for _ in range(4):
    (net(x) - y).square().mean().backward()
    opt.step()
{rest}
"""
CLEAR = "    opt.zero_grad(set_to_none={none})"
SUM = "    total += net[0].weight.grad ** 2"

WRONG = {
    "a sum of cleared gradients": STEPS.format(rest=f"{CLEAR.format(none=False)}  # here\n{SUM}"),
    "a norm of cleared gradients": STEPS.format(
        rest=f"{CLEAR.format(none=False)}  # here\n    norm = float(net[0].weight.grad.norm())"
    ),
}

RIGHT = {
    "a sum before they are cleared": STEPS.format(rest=f"{SUM}\n{CLEAR.format(none=False)}"),
    "a check that they are cleared": STEPS.format(
        rest=f"{CLEAR.format(none=False)}\n    assert not net[0].weight.grad.any()"
    ),
    "gradients that are given anew": """
for _ in range(4):
    (net(x) - y).square().mean().backward()
    kept = [p.grad.clone() for p in net.parameters()]
    opt.zero_grad(set_to_none=False)
    for p, g in zip(net.parameters(), kept):
        p.grad.copy_(g)
    opt.step()
    opt.zero_grad()
""",
    "memory that others have by now": STEPS.format(
        rest=f"{CLEAR.format(none=True)}\n    total = total + torch.ones(3, 2) * 2"
    ),
    "what is read before and after": """
def norm():
    return sum(float(p.grad.norm()) for p in net.parameters())
for _ in range(4):
    (net(x) - y).square().mean().backward()
    before = norm()
    opt.step()
    opt.zero_grad(set_to_none=False)
    after = norm()
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_zeros_that_are_read_are_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("zero-grad-before-step", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_gradients_that_are_read_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []
