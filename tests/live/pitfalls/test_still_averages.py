"""Averages of a network that nothing trains."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

FOLLOW = """
import copy
from torch.optim.swa_utils import AveragedModel
raw = {raw}
average = {average}
for step in range(6):
    fit((net(x) - y).square().mean())
    {rest}
"""
UPDATED = "average.update_parameters(raw)  # here"
BLENDED = """with torch.no_grad():
        for a, p in zip(average.parameters(), raw.parameters()):
            a.lerp_(p, 0.1)  # here"""
OF_TORCH, COPY = "AveragedModel(raw)", "copy.deepcopy(raw)"

WRONG = {
    "an average of torch": FOLLOW.format(raw="copy.deepcopy(net)", average=OF_TORCH, rest=UPDATED),
    "one by hand": FOLLOW.format(raw="copy.deepcopy(net)", average=COPY, rest=BLENDED),
}

RIGHT = {
    "the trained network": FOLLOW.format(raw="net", average=OF_TORCH, rest=UPDATED),
    "the trained network by hand": FOLLOW.format(raw="net", average=COPY, rest=BLENDED),
    "weights that are drawn to those of the beginning": FOLLOW.format(
        raw="copy.deepcopy(net).requires_grad_(False)", average="net", rest=BLENDED
    ),
    "a network that is trained later": FOLLOW.format(
        raw="torch.nn.Linear(2, 1)", average=COPY, rest=BLENDED
    )
    + """
later = torch.optim.SGD(raw.parameters(), lr=0.1)
for _ in range(3):
    later.zero_grad()
    raw(x).square().mean().backward()
    later.step()
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_averages_of_what_stands_still_are_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("average-reversed", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_averages_of_what_is_trained_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []
