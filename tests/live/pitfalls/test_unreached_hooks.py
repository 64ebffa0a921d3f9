"""Hooks for gradients of what no backward gets to."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

SOLVED = """
for _ in range(4):
    h = net[0](x)
    again = net[0](x.clone())
    {tensor}.register_hook(lambda grad: 2 * grad)  # here
    fit((net[2](h) - y).square().mean())
"""

WRONG = {"a tensor that no loss depends on": SOLVED.format(tensor="again")}

RIGHT = {
    "a part of the loss": SOLVED.format(tensor="h"),
    "a part of the loss in some iterations": """
for step in range(6):
    h = net[0](x)
    h.register_hook(lambda grad: 2 * grad)
    fit((net[2](h if step == 3 else net[0](x)) - y).square().mean())
""",
    "a leaf": """
for _ in range(4):
    at = x.clone().requires_grad_()
    at.register_hook(lambda grad: 2 * grad)
    fit((net(at) - y).square().mean())
""",
    "a hook that is put there once": """
h = net[0](x)
h.register_hook(lambda grad: 2 * grad)
for _ in range(4):
    fit((net(x) - y).square().mean())
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_hooks_that_never_run_are_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("backward-input-unused", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_hooks_that_run_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []
