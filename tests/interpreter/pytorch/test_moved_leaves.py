"""Leaves that are made and moved in one: on another device the name means a copy."""

import pytest

from tests.interpreter.running import certain, faults, kinds

ATTACK = """
def attack(model, image, label, device):
    image = {}
    loss = torch.nn.functional.cross_entropy(model(image), label)
    loss.backward()
    return image.grad.sign()
"""
IMAGE = """
def paint(model, device):
    image = {}
    opt = torch.optim.Adam([image])
    for _ in range(3):
        opt.zero_grad()
        model(image).sum().backward()
        opt.step()
"""
MADE = [
    "torch.tensor(image, requires_grad=True).to(device)",
    "torch.randn(3, requires_grad=True).to(device)",
]


@pytest.mark.parametrize("made", MADE)
def test_the_gradient_of_the_copy_is_asked_for(made: str) -> None:
    (fault,) = faults(ATTACK.format(made))
    assert fault.kind.value == "non-leaf-grad"
    assert "`device` is another device than the CPU" in {a.text for a in fault.assumptions}


def test_the_optimizer_is_given_the_copy() -> None:
    text = IMAGE.format(MADE[1])
    assert kinds(text) == ["non-leaf-optimizer"] and certain(text) == []


@pytest.mark.parametrize(
    "made",
    [
        "torch.randn(3).to(device).requires_grad_()",
        "torch.randn(3, requires_grad=True, device=device)",
        "torch.randn(3, requires_grad=True).to(torch.device('cpu'))",
    ],
)
def test_a_leaf_that_is_made_last_is_one(made: str) -> None:
    assert kinds(ATTACK.format(made)) == []
    assert kinds(IMAGE.format(made)) == []


def test_a_leaf_with_another_name_may_be_asked_for() -> None:
    text = ATTACK.replace("model(image)", "model(image.to(device))")
    assert kinds(text.format("torch.randn(3, requires_grad=True)")) == []
