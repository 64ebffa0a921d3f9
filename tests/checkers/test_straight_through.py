"""Choices that no gradient gets past, between values and what is computed from the chosen ones."""

import pytest

from tests.vm.running import kinds

TEXT = """
import torch.nn.functional as F
encoder, decoder, codebook = nn.Linear(4, 3), nn.Linear(3, 4), nn.Embedding(6, 3)
z = encoder(torch.randn(5, 4))
q = codebook(torch.cdist(z, codebook.weight).argmin(1))
commitment = F.mse_loss(q, z.detach()) + F.mse_loss(z, q.detach())
loss = {loss} + commitment
loss.backward()
"""


@pytest.mark.parametrize(
    "given", ["q", "q + (z - q).detach()", "z + (q - z)", "(q - z) + z", "q.view(5, 3)"]
)
def test_values_that_are_only_compared_with_the_chosen_ones_are_told(given: str) -> None:
    assert kinds(TEXT.format(loss=f"decoder({given}).mean()")) == ["gradient-cut"]


@pytest.mark.parametrize("given", ["z + (q - z).detach()", "(q - z).detach() + z"])
def test_a_straight_through_estimator_is_quiet(given: str) -> None:
    assert kinds(TEXT.format(loss=f"decoder({given}).mean()")) == []


def test_values_that_something_else_is_computed_from_are_quiet() -> None:
    assert kinds(TEXT.format(loss="decoder(q).mean() + decoder(z).mean()")) == []


def test_chosen_values_that_are_compared_alone_are_quiet() -> None:
    assert kinds(TEXT.format(loss="decoder(torch.ones(3)).mean()")) == []
