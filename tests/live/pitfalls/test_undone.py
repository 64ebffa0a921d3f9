"""Steps that are undone before anything has used them."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "signs that stand for the weights": """
weights = [net[0].weight, net[2].weight]
for _ in range(5):
    for p in weights:
        p.data.copy_(p.data.sign())  # here
    fit((net(x) - y).square().mean())
""",
    "weights that are put back after the step": """
for _ in range(5):
    kept = [p.detach().clone() for p in net.parameters()]
    opt.zero_grad()
    (net(x) - y).square().mean().backward()
    opt.step()
    for p, k in zip(net.parameters(), kept):
        p.data.copy_(k)  # here
""",
    "data that is set": """
for _ in range(5):
    kept = [p.detach().clone() for p in net.parameters()]
    opt.zero_grad()
    (net(x) - y).square().mean().backward()
    opt.step()
    for p, k in zip(net.parameters(), kept):
        p.data = k  # here
""",
}

RIGHT = {
    "signs, and the weights before the step": """
weights = [net[0].weight, net[2].weight]
for _ in range(5):
    kept = [p.detach().clone() for p in weights]
    for p in weights:
        p.data.copy_(p.data.sign())
    opt.zero_grad()
    (net(x) - y).square().mean().backward()
    for p, k in zip(weights, kept):
        p.data.copy_(k)
    opt.step()
""",
    "a trial whose result is computed with": """
for _ in range(5):
    kept = [p.detach().clone() for p in net.parameters()]
    opt.zero_grad()
    (net(x) - y).square().mean().backward()
    opt.step()
    with torch.no_grad():
        net(x)
    for p, k in zip(net.parameters(), kept):
        p.data.copy_(k)
""",
    "the gradient at the point where a step would lead": """
for _ in range(4):
    kept = [p.detach().clone() for p in net.parameters()]
    fit((net(x) - y).square().mean())
    opt.zero_grad()
    (net(x) - y).square().mean().backward()
    for p, k in zip(net.parameters(), kept):
        p.data.copy_(k)
    opt.step()
""",
    "bounds": """
for _ in range(5):
    fit((net(x) - y).square().mean())
    for p in net.parameters():
        p.data.clamp_(-1, 1)
""",
    "a rate of zero": """
opt = torch.optim.SGD(net.parameters(), lr=0.0)
for _ in range(5):
    fit((net(x) - y).square().mean())
""",
}


@pytest.mark.parametrize("case", WRONG)
def test_steps_that_are_undone_are_told(case: str, tmp_path: Path) -> None:
    assert told(WRONG[case], tmp_path) == here("state-overwritten", WRONG[case])


@pytest.mark.parametrize("case", RIGHT)
def test_steps_that_count_are_quiet(case: str, tmp_path: Path) -> None:
    assert told(RIGHT[case], tmp_path) == []
