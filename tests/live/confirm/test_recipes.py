"""What is made up for a witness, as its assumptions say it."""

import pytest

from autograd_lint.live.confirm.recipes import Recipe


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (Recipe("tensor", (2, 8)), "a tensor of shape [2, 8]"),
        (Recipe("integers", (3,)), "an integer tensor of shape [3]"),
        (Recipe("optimizer"), "an optimizer"),
        (Recipe("model"), "a model"),
        (Recipe("number", value=8), "8"),
    ],
)
def test_a_recipe_is_told_with_its_article(recipe: Recipe, said: str) -> None:
    assert str(recipe) == said
