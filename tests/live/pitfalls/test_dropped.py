"""Statements that write to a copy, or flag one."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "gradients that an index picks": """
rows = torch.tensor([0, 2])
for _ in range(2):
    opt.zero_grad()
    net(x).square().mean().backward()
    net[0].weight.grad[rows].zero_()  # here
    opt.step()
""",
    "a clamp that is dropped": """
for _ in range(2):
    fit(net(x).square().mean())
    for p in net.parameters():
        p.data.clamp(-1, 1)  # here
""",
}

RIGHT = {
    "a slice": """
for _ in range(2):
    opt.zero_grad()
    net(x).square().mean().backward()
    net[0].weight.grad[:2].zero_()
    opt.step()
""",
    "elements that are assigned": """
rows = torch.tensor([0, 2])
for _ in range(2):
    opt.zero_grad()
    net(x).square().mean().backward()
    net[0].weight.grad[rows] = 0
    picked = net[0].weight.grad[rows]
    print(picked.mul_(2))
    opt.step()
""",
    "in place": """
for _ in range(2):
    fit(net(x).square().mean())
    for p in net.parameters():
        p.data.clamp_(-1, 1)
        print(p.data.clamp(-1, 1))
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_writes_to_a_copy_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("result-dropped", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_writes_to_a_view_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []


def test_a_flag_of_some_elements_is_told(tmp_path: Path) -> None:
    source = """
    net[0].weight.data[0].requires_grad = False  # here
    fit(net(x).square().mean())
    """
    assert told(source, tmp_path) == here("flag-without-effect", source)
