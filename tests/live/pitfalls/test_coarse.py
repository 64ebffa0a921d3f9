"""Steps and averages of 16 bits that are rounded away."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

HALF = """
net.to(torch.bfloat16)
with torch.no_grad():
    for p in net.parameters():
        p.fill_(0.5)
x, y = x.bfloat16(), y.bfloat16()
opt = torch.optim.{made}
for _ in range(8):
    opt.zero_grad()
    (net(x) - y).square().mean().backward()
    {before}
    opt.step(){mark}
"""


def half(made: str, before: str = "pass", mark: str = "") -> str:
    return HALF.format(made=made, before=before, mark=mark)


WRONG = {
    "a rate that bfloat16 has no digits for": half(
        "AdamW(net.parameters(), lr=1e-5, weight_decay=0)", mark="  # here"
    ),
}

RIGHT = {
    "a rate that is large enough": half("AdamW(net.parameters(), lr=1e-1)"),
    "a warm-up that begins small": half(
        "AdamW(net.parameters(), lr=1e-6)", "opt.param_groups[0]['lr'] *= 10"
    ),
    "no rate": half("SGD(net.parameters(), lr=0.0)"),
    "the step after a gradient of zero": half(
        "SGD(net.parameters(), lr=0.1)", "[p.grad.zero_() for p in net.parameters()]"
    ),
    "float32": """
opt = torch.optim.AdamW(net.parameters(), lr=1e-7)
for _ in range(8):
    fit((net(x) - y).square().mean())
""",
    "an optimizer that may keep the rest": half("AdamW(net.parameters(), lr=1e-5)").replace(
        "opt = torch.optim.AdamW", "class Kahan(torch.optim.AdamW):\n    pass\nopt = Kahan"
    ),
}

AVERAGE = """
import copy
average = copy.deepcopy(net){kept}.requires_grad_(False)
for _ in range(8):
    fit((net(x) - y).square().mean())
    with torch.no_grad():
        for a, p in zip(average.parameters(), net.parameters()):
            {update}
"""
SCALED = "a.mul_(0.9999).add_(p.to(a.dtype), alpha=0.0001)  # here"
BETWEEN = "a.lerp_(p.to(a.dtype), 0.0001)  # here"


@pytest.mark.parametrize("case", WRONG)
def test_steps_that_are_rounded_away_are_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("rate-without-effect", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_steps_that_move_or_are_not_to_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []


@pytest.mark.parametrize("update", [SCALED, BETWEEN])
def test_an_average_that_is_rounded_away_is_told(update: str, tmp_path: Path) -> None:
    source = AVERAGE.format(kept=".bfloat16()", update=update)
    assert told(source, tmp_path) == here("average-reversed", source)


@pytest.mark.parametrize("update", [SCALED, BETWEEN])
def test_an_average_in_float32_is_quiet(update: str, tmp_path: Path) -> None:
    assert told(AVERAGE.format(kept="", update=update), tmp_path) == []


def test_an_average_in_bfloat16_that_moves_is_quiet(tmp_path: Path) -> None:
    update = "a.lerp_(p.to(a.dtype), 0.5)"
    assert told(AVERAGE.format(kept=".bfloat16()", update=update), tmp_path) == []
