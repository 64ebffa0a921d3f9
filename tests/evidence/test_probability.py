"""Probabilities follow from counted signs."""

import pytest

from autograd_lint.engine.assumptions import Assumption, Kind, Prior
from autograd_lint.evidence.counts import Counted, Counts, Group, load
from autograd_lint.evidence.probability import Premise, Signs, probability, share_with, steps

COUNTS = Counts(
    Counted(60, 20, 1.0),
    {
        (Group.RULE, "AG501"): Counted(9, 0, 0.5),
        (Group.PRIOR, "unusual"): Counted(10, 10, -0.5),
        (Group.KIND, "condition"): Counted(1, 9, -1.0),
        (Group.KIND, "one-element"): Counted(9, 1, 2.0),
        (Group.SIGNAL, "in-package"): Counted(5, 15, -0.7),
    },
)


def signs(*kinds: str, code: str = "AG103", signals: tuple[str, ...] = ()) -> Signs:
    return Signs(code, tuple(Premise(one, Prior.UNUSUAL) for one in kinds), frozenset(signals))


def test_what_assumes_nothing_is_certain() -> None:
    assert probability(signs(signals=("in-package",)), COUNTS) == 1.0


def test_each_sign_adds_its_weight_to_the_log_odds() -> None:
    found = signs("condition", code="AG501", signals=("in-package",))
    assert [one.adds for one in steps(found, COUNTS)] == [1.0, 0.5, -1.5, -0.7]
    assert probability(found, COUNTS) == pytest.approx(1 / (1 + 2.718281828**0.7))


def test_an_assumption_never_makes_a_finding_more_likely() -> None:
    one, two = signs("condition"), signs("condition", "one-element")
    assert probability(two, COUNTS) == probability(one, COUNTS)


def test_a_kind_without_labels_goes_by_how_usual_it_is() -> None:
    assert [one.adds for one in steps(signs("is-none"), COUNTS)] == [1.0, 0.0, -0.5]


def test_what_rests_on_an_assumption_is_never_sure() -> None:
    sure = Counts(Counted(9, 0, 50.0), {})
    assert probability(signs("condition"), sure) == 0.99
    assert share_with(Premise("condition", Prior.USUAL), sure) == 0.99


def test_what_is_given_is_a_kind_of_its_own() -> None:
    given = Assumption(Kind.REQUIRES_GRAD, "x", given=True)
    assert Signs.of("AG103", [given], frozenset()).assumed[0].kind == "argument-requires-grad"


def test_the_counts_of_the_package_name_kinds_that_there_are() -> None:
    known = {kind.value for kind in Kind}
    names = [name for group, name in load().signs if group is Group.KIND]
    assert known.issuperset(name.removeprefix("argument-") for name in names)


def test_the_counts_of_the_package_know_every_prior() -> None:
    names = {name for group, name in load().signs if group is Group.PRIOR}
    assert names == {prior.label for prior in Prior}
