"""The counts of findings that were read, and the words made of them."""

import pytest

from autograd_lint.rules.precision import Counted, Precision, load, told
from autograd_lint.rules.registry import all_rules


@pytest.mark.parametrize(
    ("counted", "words"),
    [
        (Counted(40, 38), "38 of 40 right (95%) in ten programs."),
        (Counted(1, 1), "1 of 1 right (100%) in ten programs."),
        (Counted(0, 0), "No findings in ten programs."),
    ],
)
def test_counts_are_told_in_a_sentence(counted: Counted, words: str) -> None:
    assert Precision("ten programs", {"AG101": counted}).sentence("AG101") == words


def test_a_rule_that_was_not_counted_has_no_sentence() -> None:
    assert Precision("ten programs", {}).sentence("AG101") is None


def test_the_counts_are_of_rules_that_exist() -> None:
    for precision in load():
        assert set(precision.rules) <= {rule.code for rule in all_rules()}
        assert all(0 <= counted.right <= counted.read for counted in precision.rules.values())


def test_every_material_is_told() -> None:
    sentences = [one.sentence("AG103") for one in load() if "AG103" in one.rules]
    assert told("AG103").splitlines() == [f"- {sentence}" for sentence in sentences]
