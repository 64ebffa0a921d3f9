"""Gradients that are added to a sum of the program's own, while they grow."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

TRAINED = """
for _ in range(3):
    fit((net(x) - y).square().mean())
sums = {name: torch.zeros_like(p) for name, p in net.named_parameters()}
opt.zero_grad()
"""

WRONG = {
    "squares": f"""{TRAINED}
for one in x:
    net(one).sum().backward()  # here
    for name, p in net.named_parameters():
        sums[name] += p.grad.detach() ** 2 / len(x)
""",
    "without a place to write to": f"""{TRAINED}
for one in x:
    net(one).sum().backward()  # here
    for name, p in net.named_parameters():
        sums[name] = sums[name] + p.grad.abs()
""",
    "cleared behind": f"""{TRAINED}
for one in x:
    net(one).sum().backward()  # here
    for name, p in net.named_parameters():
        sums[name].addcmul_(p.grad, p.grad)
opt.zero_grad()
""",
}

RIGHT = {
    "cleared for each": f"""{TRAINED}
for one in x:
    net.zero_grad()
    net(one).sum().backward()
    for name, p in net.named_parameters():
        sums[name] += p.grad ** 2
""",
    "cleared by hand": f"""{TRAINED}
for one in x:
    net(one).sum().backward()
    for name, p in net.named_parameters():
        sums[name] += p.grad ** 2
        p.grad = None
""",
    "gathered once, when all are there": f"""{TRAINED}
for one in x:
    net(one).sum().backward()
for name, p in net.named_parameters():
    sums[name] += p.grad ** 2
""",
    "norms of what a step uses": f"""{TRAINED}
norm = torch.zeros(())
for _ in range(3):
    for one in x:
        net(one).sum().backward()
        for p in net.parameters():
            norm += p.grad.norm()
    opt.step()
    opt.zero_grad()
""",
    "an average of what a step uses": f"""{TRAINED}
for _ in range(3):
    for one in x:
        net(one).sum().backward()
        for name, p in net.named_parameters():
            sums[name].mul_(0.9).add_(p.grad, alpha=0.1)
    opt.step()
    opt.zero_grad()
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_the_backward_that_adds_to_what_is_gathered_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("gradients-pile-up", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_gradients_that_are_of_one_batch_or_of_a_step_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
