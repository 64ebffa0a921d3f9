"""Losses that a loop computes one after the other under one name."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

HEADS = """
heads = torch.nn.ModuleList(torch.nn.Linear(2, 1) for _ in range(3))
opt = torch.optim.SGD([*heads.parameters(), *net.parameters()], lr=0.1)
def total_of(x, y):
    total = net(x).square().mean()
    for head in heads:
        out = head(x)
        {bound}
    return total
for _ in range(4):
    fit(total_of(x, y)){mark}
"""


def heads(bound: str, mark: str = "") -> str:
    return (
        HEADS.format(bound=bound, mark=mark)
        .replace("    fit(", "    loss = ")
        .replace(
            f"){mark}\n", f"\n    opt.zero_grad()\n    loss.backward(){mark}\n    opt.step()\n"
        )
    )


WRONG = {
    "a loss for each head": heads("total = (out - y).square().mean()", "  # here"),
}

RIGHT = {
    "a sum over the heads": heads("total = total + (out - y).square().mean()"),
    "a sum in place": heads("total += (out - y).square().mean()"),
    "the loss of the last step of a recurrence": """
cell, last = torch.nn.Linear(3, 2), torch.nn.Linear(2, 1)
opt = torch.optim.SGD([*cell.parameters(), *last.parameters()], lr=0.1)
def total_of(x, y):
    h = x
    for _ in range(3):
        h = torch.tanh(cell(torch.cat([h, y], 1)))
        total = (last(h) - y).square().mean()
    return total
for _ in range(4):
    loss = total_of(x, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "a backward in each iteration": """
for _ in range(4):
    for part, wanted in zip(x, y):
        loss = (net(part) - wanted).square().mean()
        fit(loss)
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_what_the_next_iteration_overwrites_is_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("last-iteration-only", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_sums_and_recurrences_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []
