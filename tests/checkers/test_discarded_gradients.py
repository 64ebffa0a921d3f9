"""Gradients that are cleared in each iteration, though a step comes only now and then."""

import pytest

from tests.vm.running import kinds

LOOP = """
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    {before}
    model(torch.ones(2, 3)).mean().div(4).backward()
    {after}
"""
STEP = "if (step + 1) % 4 == 0:\n        optimizer.step()"


def test_clearing_in_each_iteration_of_several_for_one_step_is_told() -> None:
    text = LOOP.format(before="optimizer.zero_grad()", after=STEP)
    assert kinds(text) == ["zero-grad-before-step"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pass", STEP + "\n        optimizer.zero_grad()"),
        ("if step % 4 == 0:\n        optimizer.zero_grad()", STEP),
        ("optimizer.zero_grad()", "optimizer.step()"),
        ("optimizer.zero_grad()", "if model.weight.grad.norm() < 9:\n        optimizer.step()"),
    ],
)
def test_gradients_that_are_used_or_left_out_for_what_they_are_are_not_told(
    before: str, after: str
) -> None:
    assert kinds(LOOP.format(before=before, after=after)) == []


def test_gradients_that_a_loss_gives_another_network_may_be_cleared() -> None:
    text = """
maker, judge = nn.Linear(2, 4), nn.Linear(4, 1)
make, rate = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())
for _ in range(4):
    made = maker(torch.randn(8, 2))
    rate.zero_grad()
    (judge(torch.randn(8, 4)) + judge(made.detach())).mean().backward()
    rate.step()
    make.zero_grad()
    judge(made).mean().backward()
    make.step()
"""
    assert kinds(text) == []


BETWEEN = """
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.ones(2)).mean().backward()
    {between}
    optimizer.zero_grad()
    net(torch.zeros(2)).mean().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("between", "lost"),
    [("pass", True), ("norm = net.weight.grad.norm()", False), ("optimizer.step()", False)],
)
def test_a_loss_whose_gradients_nothing_uses_was_computed_in_vain(between: str, lost: bool) -> None:
    assert ("zero-grad-before-step" in kinds(BETWEEN.format(between=between))) is lost
