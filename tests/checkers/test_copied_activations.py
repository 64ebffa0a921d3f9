"""Activations that `torch.tensor` copies out of their graph, and samples without a derivative."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

TRAINED = """
    encoder = nn.Linear(4, 4)
    both = torch.optim.SGD([*encoder.parameters(), *model.parameters()], lr=0.1)
    for x, y in loader:
        h = encoder(x)
        {used}
        both.zero_grad()
        loss.backward()
        both.step()
    """


@pytest.mark.parametrize(
    ("used", "found"),
    [
        ("loss = F.mse_loss(model(torch.tensor(h)), y) + h.pow(2).mean()", [6]),
        ("loss = F.mse_loss(model(h.detach().clone()), y) + h.pow(2).mean()", []),
        ("loss = F.mse_loss(model(x) * h, torch.tensor(h))", []),
        ("loss = F.mse_loss(model(torch.tensor(x)), y) + h.pow(2).mean()", []),
    ],
)
def test_what_a_layer_is_given_was_meant_to_have_a_graph(used: str, found: list[int]) -> None:
    assert rows(TRAINED.format(used=used), Pitfall.GRADIENT_CUT) == found


SAMPLED = """
    for x, y in loader:
        optimizer.zero_grad()
        {drawn}
        (drawn - y).pow(2).mean().backward()
        optimizer.step()
    """


@pytest.mark.parametrize(
    ("drawn", "found"),
    [
        ("drawn = torch.normal(model(x), 1.0)", [4]),
        ("drawn = torch.bernoulli(model(x).sigmoid())", [4]),
        ("drawn = model(x) + torch.randn_like(y)", []),
    ],
)
def test_samples_have_no_derivative(drawn: str, found: list[int]) -> None:
    assert rows(SAMPLED.format(drawn=drawn), Pitfall.GRADIENT_CUT) == found
