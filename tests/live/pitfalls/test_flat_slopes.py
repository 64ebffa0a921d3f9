"""Second derivatives of what consists of straight lines."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

BEND = """
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.{layer}, torch.nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    at = x.clone().requires_grad_()
    slope, = torch.autograd.grad(net(at).sum(), at, create_graph=True)
    bend, = torch.autograd.grad({root}, at, create_graph=True)  # here
    fit((bend - 1).square().mean() + (net(x) - y).square().mean())
"""

WRONG = {
    layer: BEND.format(layer=layer, root="slope.sum()")
    for layer in ("ReLU()", "LeakyReLU()", "Hardtanh()")
}

RIGHT = {
    "a smooth layer": BEND.format(layer="Tanh()", root="slope.sum()"),
    "the slope of a square": BEND.format(layer="ReLU()", root="(slope * at).sum()"),
    "a penalty of the slope": """
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    at = x.clone().requires_grad_()
    slope, = torch.autograd.grad(net(at).sum(), at, create_graph=True)
    fit((slope.norm(dim=1) - 1).square().mean() + (net(x) - y).square().mean())
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_second_derivatives_of_straight_lines_are_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("constant-loss-term", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_what_bends_is_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []
