"""Gradients that are changed after their step, and clippings that find none."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

STEPS = """
for _ in range(5):
    opt.zero_grad()
    (net(x) - y).square().mean().backward()
    {before}
    opt.step()
    {after}
"""
CHANGES = {
    "bounded": "for p in net.parameters(): p.grad.clamp_(-1, 1)",
    "scaled": "for p in net.parameters(): p.grad.mul_(0.5)",
    "scaled at once": "torch._foreach_mul_([p.grad for p in net.parameters()], 0.5)",
}
RIGHT = {
    "cleared by hand": STEPS.format(
        before="pass", after="for p in net.parameters(): p.grad.zero_()"
    ),
    "counted after the step": STEPS.format(
        before="pass", after="print(sum(p.grad.square().sum() for p in net.parameters()))"
    ),
    "used by another step": """
    second = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(5):
        opt.zero_grad()
        (net(x) - y).square().mean().backward()
        opt.step()
        for p in net.parameters():
            p.grad.neg_()
            p.grad.mul_(0.5)
        second.step()
    """,
    "a frozen network among those that are clipped": """
    frozen = torch.nn.Linear(1, 1).requires_grad_(False)
    for _ in range(5):
        opt.zero_grad()
        (frozen(net(x)) - y).square().mean().backward()
        for one in (net, frozen):
            torch.nn.utils.clip_grad_norm_(one.parameters(), 1.0)
        opt.step()
    """,
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_that_no_step_sees_is_told(name: str, tmp_path: Path) -> None:
    source = STEPS.format(before="pass", after=f"{CHANGES[name]}  # here")
    assert told(source, tmp_path) == here("clip-in-vain", source)


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_before_the_step_is_quiet(name: str, tmp_path: Path) -> None:
    assert told(STEPS.format(before=CHANGES[name], after="pass"), tmp_path) == []


def test_a_clipping_that_never_finds_a_gradient_is_told(tmp_path: Path) -> None:
    source = """
    frozen = torch.nn.Linear(1, 1).requires_grad_(False)
    for _ in range(4):
        opt.zero_grad()
        (frozen(net(x)) - y).square().mean().backward()
        torch.nn.utils.clip_grad_norm_(frozen.parameters(), 1.0)  # here
        opt.step()
    """
    assert told(source, tmp_path) == here("clip-in-vain", source)


@pytest.mark.parametrize("name", RIGHT)
def test_changes_that_something_sees_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
