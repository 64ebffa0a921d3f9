"""A `train()` in the loop undoes what was frozen before it."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

FROZEN = """
def freeze(model):
    for layer in model.modules():
        if isinstance(layer, nn.{layer}):
            layer.eval()

model = torch.load("model.pt")
{before}
for epoch in range(9):
    {inside}
    for x in loader:
        model(x).sum().backward()
"""


def is_told(before: str, inside: str, layer: str = "BatchNorm2d") -> bool:
    """Whether a program is told of statistics that move."""
    text = FROZEN.format(before=before, inside=inside, layer=layer)
    return Pitfall.STATISTICS_DRIFT in noted(text)


def test_training_mode_undoes_the_evaluation_mode_of_layers() -> None:
    assert is_told("freeze(model)", "model.train()")


def test_so_it_does_where_each_layer_is_given_to_a_function() -> None:
    text = FROZEN.replace(
        "def freeze(model):\n    for layer in model.modules():\n    ", "def freeze(layer):\n"
    )
    applied = text.format(before="model.apply(freeze)", inside="model.train()", layer="BatchNorm1d")
    assert "for layer" not in applied
    assert Pitfall.STATISTICS_DRIFT in noted(applied)


@pytest.mark.parametrize(
    ("before", "inside"),
    [
        ("pass", "model.train(); freeze(model)"),
        ("freeze(model)", "model.train(); freeze(model)"),
        ("freeze(model)", "model.train(False)"),
        ("freeze(model)", "other.train()"),
        ("model.train(); freeze(model)", "pass"),
    ],
)
def test_what_is_frozen_again_or_never_trained_stays(before: str, inside: str) -> None:
    assert not is_told(before, inside)


def test_other_layers_have_no_statistics() -> None:
    assert not is_told("freeze(model)", "model.train()", layer="Dropout")
