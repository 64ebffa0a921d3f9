"""Leaves that take the place of what an optimizer has."""

import pytest

from tests.vm.running import kinds

TEXT = """
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    x = torch.ones(4, 2)
    grads = torch.autograd.grad(model(x).sum(), model.parameters(), create_graph=True)
    steps = [w - 0.1 * g for w, g in zip(model.parameters(), grads)]
    fast = [{leaf} for w in steps]
    loss = nn.functional.linear(x, *fast).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    {after}
    optimizer.step()
"""
LEAF = "w.detach().requires_grad_()"


@pytest.mark.parametrize("leaf", [LEAF, "w.clone().detach().requires_grad_(True)"])
def test_a_leaf_in_the_place_of_an_adapted_weight_is_told(leaf: str) -> None:
    assert kinds(TEXT.format(leaf=leaf, after="pass")) == ["gradient-cut"]


def test_an_adapted_weight_with_its_graph_is_quiet() -> None:
    assert kinds(TEXT.format(leaf="w", after="pass")) == []


def test_gradients_that_are_handed_on_are_quiet() -> None:
    after = "for p, w in zip(model.parameters(), fast): p.grad = w.grad"
    assert kinds(TEXT.format(leaf=LEAF, after=after)) == []
