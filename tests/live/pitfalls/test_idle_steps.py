"""Steps that never find a gradient, for all is frozen then."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "a penalty while the critic is frozen": """
for _ in range(3):
    net.requires_grad_(True)
    fit((net(x) - y).square().mean())
    net.requires_grad_(False)
    near = x.clone().requires_grad_()
    opt.zero_grad()
    net(near).square().sum().backward()
    opt.step()  # here
""",
}

RIGHT = {
    "unfrozen before": """
for _ in range(3):
    net.requires_grad_(False)
    near = x.clone().requires_grad_()
    net(near).square().sum().backward()
    net.requires_grad_(True)
    fit((net(x) - y).square().mean())
""",
    "frozen for a while": """
for epoch in range(6):
    net.requires_grad_(epoch > 2)
    near = x.clone().requires_grad_()
    fit((net(near) - y).square().mean())
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_steps_of_what_is_frozen_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("optimizer-without-gradients", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_steps_that_are_fed_elsewhere_or_at_times_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
