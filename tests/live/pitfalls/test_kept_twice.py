"""Gradients of several losses that are kept by reference."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "a list for each loss": """
for p in net.parameters():
    p.grad = torch.zeros_like(p)
for _ in range(3):
    kept = []
    for loss in (net(x).mean(), (net(x) - y).square().mean()):
        opt.zero_grad(set_to_none=False)
        loss.backward()  # here
        kept.append([p.grad for p in net.parameters()])
    both = [one + other for one, other in zip(*kept)]
    for p, gradient in zip(net.parameters(), both):
        p.grad = gradient
    opt.step()
""",
}

RIGHT = {
    "copies": """
for p in net.parameters():
    p.grad = torch.zeros_like(p)
for _ in range(3):
    kept = []
    for loss in (net(x).mean(), (net(x) - y).square().mean()):
        opt.zero_grad(set_to_none=False)
        loss.backward()
        kept.append([p.grad.clone() for p in net.parameters()])
    both = [one + other for one, other in zip(*kept)]
    for p, gradient in zip(net.parameters(), both):
        p.grad = gradient
    opt.step()
""",
    "one list of all gradients": """
for p in net.parameters():
    p.grad = torch.zeros_like(p)
buckets = [[p.grad for p in net.parameters()]]
for _ in range(3):
    opt.zero_grad(set_to_none=False)
    net(x).mean().backward()
    print(sum(one.norm() for one in buckets[0]))
    opt.zero_grad(set_to_none=False)
    (net(x) - y).square().mean().backward()
    print(sum(one.norm() for one in buckets[0]))
    opt.step()
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_one_tensor_that_is_kept_for_two_losses_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("snapshot-overwritten", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_copies_and_lists_of_one_walk_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
