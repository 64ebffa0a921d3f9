"""Lists that hold one tensor several times, and are written to."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "states of an object": """
class Agents:
    def __init__(self, n):
        self.states = [torch.zeros(3)] * n  # here
    def act(self, x):
        for i in range(len(self.states)):
            self.states[i].copy_(net[0](x[i]).detach())
agents = Agents(4)
for _ in range(3):
    agents.act(x)
    fit((net(x) - y).square().mean())
""",
    "sums in a variable": """
sums = 4 * [torch.zeros(1)]  # here
for _ in range(3):
    fit((net(x) - y).square().mean())
    for i, one in enumerate(net(x).detach()):
        sums[i] += one
""",
}

RIGHT = {
    "a tensor for each": """
sums = [torch.zeros(1) for _ in range(4)]
for _ in range(3):
    fit((net(x) - y).square().mean())
    for i, one in enumerate(net(x).detach()):
        sums[i] += one
""",
    "elements that are replaced": """
sums = [torch.zeros(1)] * 4
for _ in range(3):
    fit((net(x) - y).square().mean())
    for i, one in enumerate(net(x).detach()):
        sums[i] = sums[i] + one
""",
    "a list of which nothing is written": """
zeros, total = [torch.zeros(1)] * 4, torch.zeros(1)
for _ in range(3):
    fit((net(x) - y).square().mean())
    for one in zeros:
        total += one
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_elements_that_are_one_tensor_are_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("layer-multiplied", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_tensors_of_their_own_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []
