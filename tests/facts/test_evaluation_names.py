"""Which functions say by their names that they evaluate."""

import pytest

from autograd_lint.facts.evaluation_names import evaluates_by_name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("validate", True),
        ("_eval_epoch", True),
        ("run_test", True),
        ("interval", False),
        ("fit", False),
    ],
)
def test_a_whole_word_of_the_name_tells(name: str, told: bool) -> None:
    assert evaluates_by_name(name) is told
