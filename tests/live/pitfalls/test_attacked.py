"""Attacks on the data whose gradients of the model its next step uses."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "a saliency map after some steps": """
    for turn in range(9):
        (net(x) - y).square().mean().backward()
        opt.step()
        opt.zero_grad()
        if turn % 3 == 2:
            shown = x.clone().requires_grad_()
            net(shown).sum().backward()  # here
            print(shown.grad.abs().mean())
    """,
    "a projected attack": """
for _ in range(4):
    opt.zero_grad()
    near = torch.zeros_like(x, requires_grad=True)
    for _ in range(3):
        (net(x + near) - y).square().mean().backward()  # here
        near.data = (near + 0.1 * near.grad.sign()).detach()
        near.grad.zero_()
    (net(x + near.detach()) - y).square().mean().backward()
    opt.step()
""",
    "one turn in evaluation mode": """
net.train()
for _ in range(4):
    opt.zero_grad()
    near = x.clone().requires_grad_()
    net.eval()
    (net(near) - y).square().mean().backward()  # here
    net.train()
    (net((near + 0.1 * near.grad.sign()).detach()) - y).square().mean().backward()
    opt.step()
""",
}

RIGHT = {
    "some steps with a second loss of the data as they could be": """
    for turn in range(9):
        opt.zero_grad()
        near = x.clone().requires_grad_()
        (net(near) - y).square().mean().backward()
        if turn % 2:
            (net((near + 0.1 * near.grad.sign()).detach()) - y).square().mean().backward()
        opt.step()
    """,
    "a penalty of some steps": """
    for turn in range(9):
        opt.zero_grad()
        if turn % 3 == 2:
            near = x.clone().requires_grad_()
            slope, = torch.autograd.grad(net(near).sum(), near, create_graph=True)
            slope.square().sum().backward()
        (net(x) - y).square().mean().backward()
        opt.step()
    """,
    "cleared after the attack": """
for _ in range(4):
    near = torch.zeros_like(x, requires_grad=True)
    for _ in range(3):
        (net(x + near) - y).square().mean().backward()
        near.data = (near + 0.1 * near.grad.sign()).detach()
        near.grad.zero_()
    fit((net(x + near.detach()) - y).square().mean())
""",
    "the model learns by each turn": """
for _ in range(4):
    opt.zero_grad()
    near = torch.zeros_like(x, requires_grad=True)
    for _ in range(3):
        ((net(x + near) - y).square().mean() / 3).backward()
        near.data = (near + 0.1 * near.grad.sign()).detach()
        near.grad.zero_()
    opt.step()
""",
    "a loss of the data as they are and as they could be": """
for _ in range(4):
    opt.zero_grad()
    near = x.clone().requires_grad_()
    (net(near) - y).square().mean().backward()
    (net((near + 0.1 * near.grad.sign()).detach()) - y).square().mean().backward()
    opt.step()
""",
    "gradients of the data alone": """
for _ in range(4):
    opt.zero_grad()
    near = torch.zeros_like(x, requires_grad=True)
    for _ in range(3):
        (net(x + near) - y).square().mean().backward(inputs=[near])
        near.data = (near + 0.1 * near.grad.sign()).detach()
        near.grad.zero_()
    (net(x + near.detach()) - y).square().mean().backward()
    opt.step()
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_gradients_of_an_attack_in_a_step_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("foreign-gradient", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_attacks_that_leave_none_or_train_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
