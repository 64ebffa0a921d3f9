"""Optimizers whose leaves were replaced by new ones."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "training goes on with a copy": """
    import copy
    for turn in range(8):
        fit((net(x) - y).square().mean())
        if turn == 2:
            net = copy.deepcopy(net)  # here
    """,
    "a parameter is made anew after each step": """
    weight = torch.nn.Parameter(torch.ones(2))
    opt = torch.optim.SGD([weight], lr=0.1)
    for _ in range(8):
        fit((x * weight).square().mean())
        weight = torch.nn.Parameter(weight.detach().clamp(0, 1))  # here
    """,
    "data are rebound after each step": """
    image = torch.rand(2, requires_grad=True)
    opt = torch.optim.SGD([image], lr=0.1)
    for _ in range(8):
        fit((x * image).square().mean())
        image = image.detach().clamp(0, 1).requires_grad_()  # here
    """,
}

RIGHT = {
    "the new leaves are given to it": """
    weight = torch.nn.Parameter(torch.ones(2))
    opt = torch.optim.SGD([weight], lr=0.1)
    for _ in range(8):
        fit((x * weight).square().mean())
        weight = torch.nn.Parameter(weight.detach().clamp(0, 1))
        opt.param_groups[0]["params"] = [weight]
    """,
    "a learner whose gradients the first one is given": """
    import copy
    for _ in range(6):
        learner = copy.deepcopy(net)
        (learner(x) - y).square().mean().backward()
        for p, q in zip(net.parameters(), learner.parameters()):
            p.grad = q.grad
        opt.step()
    """,
    "an attack beside an optimizer that has nothing to do any more": """
    head = torch.nn.Linear(1, 1)
    other = torch.optim.SGD(head.parameters(), lr=0.1)
    for turn in range(8):
        opt.zero_grad()
        other.zero_grad()
        near = x.clone().requires_grad_()
        seen = net(near)
        ((head(seen) if turn < 3 else seen) - y).square().mean().backward()
        opt.step()
        other.step()
    """,
    "an attack": """
    for turn in range(8):
        near = x.clone().requires_grad_()
        fit((net(near) - y).square().mean())
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_an_optimizer_whose_steps_find_nothing_since_its_leaves_were_replaced_is_told(
    name: str, tmp_path: Path
) -> None:
    assert told(WRONG[name], tmp_path) == here("stepped-leaf-replaced", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_new_leaves_that_take_no_place_of_an_optimizers_are_quiet(
    name: str, tmp_path: Path
) -> None:
    assert told(RIGHT[name], tmp_path) == []
