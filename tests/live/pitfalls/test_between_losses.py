"""Gradients of one of two losses that are cleared before any step."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "between what is real and what is not": """
for _ in range(4):
    net.zero_grad()
    (net(x) - 1).square().mean().backward()
    opt.zero_grad()  # here
    (net(x + 2) + 1).square().mean().backward()
    opt.step()
""",
}

RIGHT = {
    "both add up": """
for _ in range(4):
    opt.zero_grad()
    (net(x) - 1).square().mean().backward()
    (net(x + 2) + 1).square().mean().backward()
    opt.step()
""",
    "a step by each": """
for _ in range(4):
    fit((net(x) - 1).square().mean())
    fit((net(x + 2) + 1).square().mean())
""",
    "the first ones are measured": """
for _ in range(4):
    opt.zero_grad()
    (net(x) - 1).square().mean().backward()
    print([p.grad.norm() for p in net.parameters()])
    fit((net(x + 2) + 1).square().mean())
""",
    "what the loss of another network has left": """
maker = torch.nn.Linear(2, 2)
other = torch.optim.SGD(maker.parameters(), lr=0.1)
for _ in range(4):
    fit((net(x) - net(maker(x).detach())).mean())
    other.zero_grad()
    net(maker(x)).mean().backward()
    other.step()
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_loss_that_no_step_goes_by_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("zero-grad-before-step", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_gradients_that_are_used_read_or_of_others_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
