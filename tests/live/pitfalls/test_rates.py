"""Optimizers whose rate is zero in every step."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

LOOP = """
opt = torch.optim.SGD({given})
for step in range(6):
    {before}
    fit((net(x) - y).square().mean())
"""


def loop(before: str, given: str = "net.parameters(), lr=0.1") -> str:
    return LOOP.format(before=before, given=given)


WRONG = {
    "a warm-up that is rounded down": loop(
        "opt.param_groups[0]['lr'] = 0.1 * (step // 10)  # here"
    ),
}

RIGHT = {
    "a warm-up": loop("opt.param_groups[0]['lr'] = 0.1 * (step / 10)"),
    "an optimizer that is given no rate": loop("pass", "net.parameters(), lr=0.0"),
    "one group without a rate": loop(
        "opt.param_groups[1]['lr'] = 0.0",
        "[dict(params=net[0].parameters()), dict(params=net[2].parameters())], lr=0.1",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_rates_that_are_lost_are_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("scheduler-out-of-step", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_rates_that_move_or_were_never_given_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []
