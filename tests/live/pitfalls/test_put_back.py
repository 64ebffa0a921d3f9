"""Weights that are put back from what lies in their own memory."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

RESTORE = """
for epoch in range(3):
    fit((net(x) - y).square().mean())
    if epoch == 0:
        best = [{kept} for p in net.parameters()]
with torch.no_grad():
    for p, k in zip(net.parameters(), best):
        p.copy_(torch.from_numpy(k))
"""

WRONG = {
    "arrays of the weights": RESTORE.format(kept="p.detach().numpy()").replace(
        "in net.parameters()]", "in net.parameters()]  # here"
    ),
    "arrays of their data": RESTORE.format(kept="p.data.numpy()").replace(
        "in net.parameters()]", "in net.parameters()]  # here"
    ),
}

RIGHT = {
    "copies of arrays": RESTORE.format(kept="p.detach().numpy().copy()"),
    "arrays of copies": RESTORE.format(kept="p.detach().clone().numpy()"),
    "arrays of a network that nothing trains": """
still = torch.nn.Linear(2, 1)
kept = still.weight.detach().numpy()
for _ in range(3):
    fit((net(x) - y).square().mean())
with torch.no_grad():
    still.weight.copy_(torch.from_numpy(kept))
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_what_lies_in_their_memory_is_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("state-overwritten", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_copies_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []
