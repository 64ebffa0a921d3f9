"""Frozen batch normalization whose running statistics still move."""

import pytest

from tests.vm.running import kinds

TEXT = """
backbone = nn.Sequential(nn.Linear(2, 4), {layer})
model = nn.Sequential(backbone, nn.Linear(4, 1))
{freezing}
optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
for epoch in range(3):
    {mode}
    loss = model(torch.ones(3, 2)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
{after}
"""
VALIDATION = """model.eval()
    with torch.no_grad():
        model(torch.ones(3, 2))
    model.train()"""


def text(
    layer: str = "nn.BatchNorm1d(4)",
    freezing: str = "backbone.requires_grad_(False); backbone.eval()",
    mode: str = "model.train()",
    after: str = "pass",
) -> str:
    """A program that trains the head of a model."""
    return TEXT.format(layer=layer, freezing=freezing, mode=mode, after=after)


@pytest.mark.parametrize(
    "freezing",
    [
        "backbone.requires_grad_(False); backbone.eval()",
        "for p in backbone.parameters():\n    p.requires_grad = False\nbackbone.train(False)",
    ],
)
def test_a_frozen_layer_in_training_mode_is_told(freezing: str) -> None:
    assert kinds(text(freezing=freezing)) == ["frozen-statistics-drift"]


def test_without_an_evaluation_it_is_no_more_than_possible() -> None:
    assert kinds(text(freezing="backbone.requires_grad_(False)")) == []


@pytest.mark.parametrize("mode", ["model.train(); backbone.eval()", "model.train(False)"])
def test_a_layer_that_is_evaluated_is_quiet(mode: str) -> None:
    assert "frozen-statistics-drift" not in kinds(text(mode=mode))


@pytest.mark.parametrize(
    "layer", ["nn.LayerNorm(4)", "nn.BatchNorm1d(4, track_running_stats=False)"]
)
def test_a_layer_without_running_statistics_is_quiet(layer: str) -> None:
    assert kinds(text(layer=layer)) == []


def test_what_is_not_frozen_is_quiet() -> None:
    assert "frozen-statistics-drift" not in kinds(text(freezing="backbone.eval()"))


def test_what_is_switched_on_later_is_quiet() -> None:
    assert kinds(text(after="backbone.requires_grad_(True)")) == []


def test_a_validation_of_the_whole_model_is_no_evaluation_of_the_frozen_part() -> None:
    freezing = "backbone.requires_grad_(False)"
    assert kinds(text(freezing=freezing, mode=VALIDATION)) == []


def test_an_evaluation_of_the_frozen_part_is_not_forgotten_with_that_of_the_whole_model() -> None:
    assert kinds(text(mode=VALIDATION)) == ["frozen-statistics-drift"]


def test_a_frozen_part_that_only_validations_evaluate_by_itself_is_told() -> None:
    freezing = "backbone.requires_grad_(False)"
    mode = "backbone.eval()\n    model.train()"
    assert kinds(text(freezing=freezing, mode=mode)) == ["frozen-statistics-drift"]


def test_a_frozen_part_that_is_put_into_training_mode_by_itself_is_to_train() -> None:
    freezing = "backbone.requires_grad_(False)"
    assert kinds(text(freezing=freezing, mode="backbone.eval()\n    backbone.train()")) == []
