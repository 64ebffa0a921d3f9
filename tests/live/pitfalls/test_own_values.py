"""Terms of a loss that compare a parameter with itself."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

STAY = """
import copy
start = {start}
for _ in range(3):
    near = 0
    for p, s in zip(net.parameters(), start):
        near = near + {measure}
    fit((net(x) - y).square().mean() + 0.1 * near)
"""
MEASURES = {
    "its square": "(p - s.detach()).pow(2).sum()",
    "its length": "(p - s.detach()).norm()",
    "of both with a graph": "(p - s).square().sum()",
    "by a loss": "torch.nn.functional.mse_loss(p, s.detach())",
}
RIGHT = {
    "copies": STAY.format(
        start="[p.detach().clone() for p in net.parameters()]", measure="(p - s).square().sum()"
    ),
    "parameters of a copied module": STAY.format(
        start="[*copy.deepcopy(net).parameters()]", measure="(p - s.detach()).square().sum()"
    ),
    "a straight-through estimate": """
    for _ in range(3):
        w = net[0].weight
        w = w - w.detach() + w.detach().sign()
        h = torch.nn.functional.linear(x, w).tanh()
        fit((net[2](h) - y).square().mean())
    """,
}


@pytest.mark.parametrize("name", MEASURES)
def test_the_difference_of_a_parameter_and_itself_is_told(name: str, tmp_path: Path) -> None:
    measure = f"{MEASURES[name]}  # here"
    source = STAY.format(start="[*net.parameters()]", measure=measure)
    assert told(source, tmp_path) == here("constant-loss-term", source)


@pytest.mark.parametrize("name", RIGHT)
def test_copies_and_estimates_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
