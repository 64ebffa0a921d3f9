"""Elements that a hook or the program freezes, and that weight decay moves."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

BY_HAND = """
opt = torch.optim.AdamW(net.parameters(), weight_decay=0.1)
mask = torch.ones(3, 1)
mask[:2] = 0
for _ in range(5):
    opt.zero_grad()
    (net(x) - y).square().mean().backward()
    {lines}
    opt.step()
"""

WRONG = {
    "masked by hand": BY_HAND.format(lines="net[0].weight.grad *= mask  # here"),
    "the first rows": """
opt = torch.optim.AdamW(net.parameters(), weight_decay=0.1)
def freeze(weight):
    mask = torch.ones(3, 1)
    mask[:2] = 0
    weight.register_hook(lambda gradient: gradient * mask)  # here
freeze(net[0].weight)
for _ in range(5):
    fit((net(x) - y).square().mean())
""",
}

RIGHT = {
    "another mask in each step": BY_HAND.format(
        lines="mask = (torch.rand(3, 1) > 0.5).float(); net[0].weight.grad *= mask"
    ),
    "a mask that is drawn anew": BY_HAND.format(
        lines="mask.bernoulli_(0.5); net[0].weight.grad *= mask"
    ),
    "pruned, and masked by hand": BY_HAND.format(
        lines="net[0].weight.data.mul_(mask); net[0].weight.grad *= mask"
    ),
    "no decay": """
opt = torch.optim.AdamW(net.parameters(), weight_decay=0)
def freeze(weight):
    mask = torch.ones(3, 1)
    mask[:2] = 0
    weight.register_hook(lambda gradient: gradient * mask)
freeze(net[0].weight)
for _ in range(5):
    fit((net(x) - y).square().mean())
""",
    "elements that are pruned": """
opt = torch.optim.AdamW(net.parameters(), weight_decay=0.1)
def prune(weight):
    mask = torch.ones(3, 1)
    mask[:2] = 0
    weight.data.mul_(mask)
    weight.register_hook(lambda gradient: gradient * mask)
prune(net[0].weight)
for _ in range(5):
    fit((net(x) - y).square().mean())
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_masked_elements_that_decay_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("frozen-parameter-moves", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_masked_elements_that_stay_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
