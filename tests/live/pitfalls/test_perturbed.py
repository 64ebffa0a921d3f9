"""Parameters that are moved along their gradient before the next one is added."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "the worst point nearby": """
for _ in range(4):
    opt.zero_grad()
    (net(x) - y).square().mean().backward()
    kept = [p.grad * 0.05 for p in net.parameters()]
    with torch.no_grad():
        for p, far in zip(net.parameters(), kept):
            p.add_(far)
    (net(x) - y).square().mean().backward()  # here
    with torch.no_grad():
        for p, far in zip(net.parameters(), kept):
            p.sub_(far)
    opt.step()
""",
}

RIGHT = {
    "cleared in between": """
for _ in range(4):
    opt.zero_grad()
    (net(x) - y).square().mean().backward()
    kept = [p.grad * 0.05 for p in net.parameters()]
    with torch.no_grad():
        for p, far in zip(net.parameters(), kept):
            p.add_(far)
    opt.zero_grad()
    (net(x) - y).square().mean().backward()
    with torch.no_grad():
        for p, far in zip(net.parameters(), kept):
            p.sub_(far)
    opt.step()
""",
    "noise on the weights of each batch": """
for _ in range(4):
    opt.zero_grad()
    for part in x.split(2):
        noise = [torch.randn_like(p) * 0.1 for p in net.parameters()]
        with torch.no_grad():
            for p, one in zip(net.parameters(), noise):
                p.add_(one)
        net(part).square().mean().backward()
        with torch.no_grad():
            for p, one in zip(net.parameters(), noise):
                p.sub_(one)
    opt.step()
""",
    "accumulation": """
for _ in range(4):
    opt.zero_grad()
    for part in x.split(2):
        net(part).square().mean().backward()
        print(sum(p.grad.norm() for p in net.parameters()))
    opt.step()
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_the_gradient_of_another_point_that_is_added_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("missing-zero-grad", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_gradients_that_belong_together_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
