"""Averages that leave the statistics of their layers behind."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

FOLLOWED = """
    import copy
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    average = copy.deepcopy(net).eval()
    for _ in range(6):
        fit((net(x) - y).square().mean())
        with torch.no_grad():
            for a, p in zip(average.parameters(), net.parameters()):
                a.lerp_(p, 0.1)  # here
    """

WRONG = {"parameters alone": FOLLOWED}

RIGHT = {
    "buffers are copied": FOLLOWED
    + """
        for a, p in zip(average.buffers(), net.buffers()):
            a.copy_(p)
    """,
    "statistics are gathered at the end": FOLLOWED
    + """
    torch.optim.swa_utils.update_bn([x, x + 1], average)
    average.eval()
    """,
    "it normalizes by its own batches": FOLLOWED.replace(".eval()", "")
    + """
        with torch.no_grad():
            average(x)
    """,
    "the network keeps its statistics": FOLLOWED.replace(".eval()", ".eval()\n    net.eval()"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_average_whose_statistics_are_those_of_the_beginning_is_told(
    name: str, tmp_path: Path
) -> None:
    assert told(WRONG[name], tmp_path) == here("average-incomplete", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_averages_with_statistics_of_their_own_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
