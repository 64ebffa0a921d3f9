"""The counts of findings that were read, and the table made of them."""

import pytest

from autograd_lint.rules import precision
from autograd_lint.rules.precision import Counted, counts_of, load, share_right, told
from autograd_lint.rules.registry import all_rules

COUNTS = {"AG101": {"fitting": {"likely": (3, 1, 0)}, "reporting": {"possible": (0, 0, 4)}}}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """One rule of which findings were read."""
    monkeypatch.setattr(precision, "load", lambda: COUNTS)


@pytest.mark.usefixtures("counted")
def test_each_half_and_certainty_has_a_row() -> None:
    assert told("AG101").splitlines()[-2:] == [
        "| likely | improved on | 3 | 1 | 0 |",
        "| possible | kept apart | 0 | 0 | 4 |",
    ]


@pytest.mark.usefixtures("counted")
def test_a_rule_of_which_nothing_was_read_says_so() -> None:
    assert told("AG102") == "No finding of this rule in public code was read.\n"


@pytest.mark.usefixtures("counted")
def test_the_share_is_of_what_is_told_by_default() -> None:
    assert share_right("AG101") == 0.75
    assert share_right("AG102") is None


def test_what_is_surest_comes_first() -> None:
    levels = [one.certainty for one in counts_of("AG103")]
    assert levels == sorted(levels, key=precision.LEVELS.index)
    assert {"likely", "possible"} <= set(levels)


def test_the_counts_are_of_rules_that_exist_and_have_been_read() -> None:
    codes = {rule.code for rule in all_rules()}
    assert set(load()) <= codes
    assert all(one.read > 0 for code in load() for one in counts_of(code))


def test_harmless_findings_are_read_and_not_right() -> None:
    assert Counted("fitting", "likely", 3, 1, 2).read == 6
