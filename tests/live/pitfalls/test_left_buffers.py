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

USED = """
    with torch.no_grad():
        average(x)
    """

TWO = """
    import copy
    class Average:
        def __init__(self, model):
            self.shadow = copy.deepcopy(model).eval().requires_grad_(False)
        @torch.no_grad()
        def update(self, model):
            for a, p in zip(self.shadow.parameters(), model.parameters()):
                a.lerp_(p, 0.1)
            for a, p in zip(self.shadow.buffers(), model.buffers()):
                a.copy_(p)
    class Polyak(Average):
        def update(self, model):
            for a, p in zip(self.shadow.parameters(), model.parameters()):
                a.data.lerp_(p.data, 0.1)  # here
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    average, polyak = Average(net), Polyak(net)
    for _ in range(6):
        fit((net(x) - average.shadow(x)).square().mean())
        average.update(net)
        polyak.update(net)
    """

WRONG = {
    "parameters alone": FOLLOWED + USED,
    "its state is kept": FOLLOWED + "\n    kept = average.state_dict()",
    "it is copied": FOLLOWED + "\n    kept = copy.deepcopy(average)",
    "the second of two": TWO + "\n    polyak.shadow(x)",
}

RIGHT = {
    "nobody uses it": FOLLOWED,
    "nobody uses the second of two": TWO,
    "buffers are copied": FOLLOWED
    + """
        for a, p in zip(average.buffers(), net.buffers()):
            a.copy_(p)
    """
    + USED,
    "statistics are gathered at the end": FOLLOWED
    + """
    torch.optim.swa_utils.update_bn([x, x + 1], average)
    average.eval()
    """
    + USED,
    "it normalizes by its own batches": FOLLOWED.replace(".eval()", "")
    + """
        with torch.no_grad():
            average(x)
    """,
    "the network keeps its statistics": FOLLOWED.replace(".eval()", ".eval()\n    net.eval()")
    + USED,
}


@pytest.mark.parametrize("name", WRONG)
def test_an_average_whose_statistics_are_those_of_the_beginning_is_told(
    name: str, tmp_path: Path
) -> None:
    assert told(WRONG[name], tmp_path) == here("average-incomplete", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_averages_with_statistics_of_their_own_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
