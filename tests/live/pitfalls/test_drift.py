"""Statistics of a frozen part that is gone when the program ends."""

from pathlib import Path

from tests.live.pitfalls.training import here, told

GONE = """
def train():
    body = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    body.requires_grad_(False){mark}
    whole = torch.nn.Sequential(body, net)
    for _ in range(3):
        {mode}
        fit((whole(x) - y).square().mean())
        {evaluated}
train()
"""


def test_statistics_that_have_moved_and_are_used_are_told(tmp_path: Path) -> None:
    source = GONE.format(mark="  # here", mode="whole.train()", evaluated="whole.eval()")
    assert told(source, tmp_path) == here("frozen-statistics-drift", source)


def test_statistics_that_nobody_uses_before_they_are_gone_are_quiet(tmp_path: Path) -> None:
    assert told(GONE.format(mark="", mode="whole.train()", evaluated="pass"), tmp_path) == []


def test_statistics_of_what_is_evaluated_throughout_are_quiet(tmp_path: Path) -> None:
    assert told(GONE.format(mark="", mode="whole.eval()", evaluated="pass"), tmp_path) == []
