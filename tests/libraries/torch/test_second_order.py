"""Gradients that have a graph of their own."""

import pytest

from tests.vm.running import HEAD, certain, kinds

TWICE = """
x = torch.rand(4, 3, requires_grad=True)
y = torch.tensor([0, 1, 2, 0])
loss = {loss}
(first,) = torch.autograd.grad(loss, x, create_graph=True)
torch.autograd.grad(first.sum(), x)
"""


@pytest.mark.parametrize(
    ("loss", "found"),
    [
        ("nn.functional.cross_entropy(x, y)", []),
        ("nn.functional.kl_div(x, torch.rand(4, 3), reduction='sum')", ["no-grad-root"]),
        ("x.sum()", ["no-grad-root"]),
    ],
)
def test_a_gradient_has_a_graph_where_it_depends_on_the_input(loss: str, found: list[str]) -> None:
    text = TWICE.format(loss=loss)
    assert certain(text) == found
    if found:
        with pytest.raises(RuntimeError, match="does not require grad"):
            exec(HEAD + text, {})
    else:
        exec(HEAD + text, {})


TRAINED = """
def train(model, loader, optimizer):
    second_order = hasattr(optimizer, "is_second_order") and optimizer.is_second_order
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward(create_graph={create})
        optimizer.step()
"""


def test_gradients_with_a_graph_are_hardly_ever_asked_for_by_a_flag() -> None:
    assert kinds(TRAINED.format(create="second_order")) == []
    assert kinds(TRAINED.format(create="True")) == ["gradient-keeps-graph"]


ROWS = """
def jacobian(model, x):
    out = model(x).reshape(-1)
    rows = []
    for i in range(out.numel()):
        rows += torch.autograd.grad(out[i], x, retain_graph=i < out.numel() - 1)
    return rows
"""


def test_a_graph_is_kept_where_that_hangs_on_the_round() -> None:
    assert kinds(ROWS) == []
