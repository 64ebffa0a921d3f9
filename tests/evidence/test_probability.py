"""Probabilities follow from counted signs."""

from dataclasses import replace

import pytest

from autograd_lint.engine.assumptions import Assumption, Kind, Prior
from autograd_lint.evidence.counts import Counted, Counts, Group, load
from autograd_lint.evidence.probability import Premise, Signs, probability, share_with, steps

COUNTS = Counts(
    Counted(60, 20, 1.0),
    {
        (Group.RULE, "AG501"): Counted(9, 0, 0.5),
        (Group.TOGETHER, "unusual"): Counted(10, 10, -0.5),
        (Group.KIND, "condition"): Counted(1, 9, -1.0),
        (Group.SIGNAL, "in-package"): Counted(5, 15, -0.7),
    },
    raising=frozenset({"AG103"}),
)


def signs(*kinds: str, code: str = "AG103", signals: tuple[str, ...] = ()) -> Signs:
    return Signs(code, tuple(Premise(one, Prior.UNUSUAL) for one in kinds), frozenset(signals))


def test_an_error_that_assumes_nothing_is_certain() -> None:
    assert probability(signs(signals=("in-package",)), COUNTS) == 1.0


def test_each_sign_adds_its_weight_to_the_log_odds() -> None:
    found = signs("condition", code="AG501", signals=("in-package",))
    adds = [one.counted.weight for one in steps(found, COUNTS)]
    assert adds == [1.0, -0.5, 0.5, -1.0, -0.7]
    assert probability(found, COUNTS) == pytest.approx(1 / (1 + 2.718281828**0.7))


def test_two_unusual_things_are_as_much_as_a_daring_one() -> None:
    assert signs("condition", "is-none").together is Prior.DARING


def test_beside_what_is_daring_nothing_counts() -> None:
    found = signs("condition", "is-none", signals=("in-package",))
    assert list(found.names()) == [(Group.TOGETHER, "daring")]


def test_a_rule_has_a_sign_of_its_own_where_nothing_is_assumed() -> None:
    assert (Group.OUTRIGHT, "AG103") in list(signs().names())
    assert (Group.OUTRIGHT, "AG103") not in list(signs("condition").names())


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


def test_no_kind_makes_a_finding_more_likely() -> None:
    weights = [one.weight for (group, _), one in load().signs.items() if group is Group.KIND]
    assert max(weights) <= 0


PRICED = Counts(
    Counted(60, 20, 3.0),
    {
        (Group.OUTRIGHT, "AG409"): Counted(9, 0, 1.0),
        (Group.RULE, "AG103"): Counted(1, 9, -2.0),
        (Group.RULE, "AG323"): Counted(3, 7, -2.0),
        (Group.RULE, "AG311"): Counted(1, 9, -4.0),
    },
    priced=frozenset({"AG103", "AG311", "AG323", "AG409"}),
    raising=frozenset({"AG103"}),
)


UNREAD = Counts(Counted(60, 20, 1.0), {(Group.SIGNAL, "in-package"): Counted(5, 15, -0.7)})


def test_what_assumes_nothing_is_certain_where_its_rule_is_nearly_always_right() -> None:
    assert probability(signs(code="AG409"), PRICED) == 1.0


def test_what_raises_nothing_is_not_certain_where_its_rule_was_often_wrong() -> None:
    assert probability(signs(code="AG323"), PRICED) == pytest.approx(1 / (1 + 2.718281828**-1))


def test_an_error_that_assumes_nothing_is_at_least_likely() -> None:
    assert probability(signs(code="AG103"), PRICED) == 0.8


def test_what_raises_nothing_is_likely_before_findings_of_its_rule_were_read() -> None:
    assert probability(signs(code="AG320"), PRICED) == pytest.approx(1 / (1 + 2.718281828**-3))
    assert probability(signs(code="AG320", signals=("in-package",)), UNREAD) == 0.8


def test_an_error_that_a_program_of_one_file_raises_is_certain_whatever_its_rule_was() -> None:
    shown = ("whole-program", "one-file")
    assert probability(signs(code="AG103", signals=shown), PRICED) == 1.0


def test_an_error_that_a_program_of_many_files_raises_goes_by_what_its_rule_was() -> None:
    assert probability(signs(code="AG103", signals=("whole-program",)), PRICED) == 0.8


def test_what_torch_only_warns_of_is_never_certain() -> None:
    warned = signs(code="AG103", signals=("whole-program", "only-warned"))
    assert probability(warned, PRICED) == 0.8
    often_right = probability(signs(code="AG409", signals=("only-warned",)), PRICED)
    assert 0.98 < often_right < 1


def test_what_the_program_itself_does_in_silence_is_at_least_likely() -> None:
    assert probability(signs(code="AG311", signals=("whole-program",)), PRICED) == 0.8


def test_that_a_program_itself_stores_an_input_makes_that_no_more_likely() -> None:
    stored = signs(code="AG311", signals=("whole-program", "input-on-context"))
    assert probability(stored, PRICED) < 0.8


def test_an_error_of_the_program_itself_with_its_default_options_is_at_least_likely() -> None:
    assumed = (Premise("condition-by-default", Prior.USUAL),)
    own = Signs("AG323", assumed, frozenset({"whole-program"}))
    assert probability(own, PRICED) == 0.8
    assert probability(replace(own, signals=frozenset()), PRICED) < 0.8


def test_what_a_program_of_one_file_leaves_out_is_at_least_likely() -> None:
    left_out = Signs("AG323", (Premise("meant-to-learn", Prior.USUAL),), frozenset())
    shown = [
        replace(left_out, signals=frozenset({"whole-program", *one})) for one in ([], ["one-file"])
    ]
    several, alone = (probability(one, PRICED) for one in shown)
    assert several < 0.8 == alone


def test_what_the_program_itself_shows_with_data_is_at_least_likely() -> None:
    data = Signs("AG323", (Premise("is-data", Prior.USUAL),), frozenset({"whole-program"}))
    assert probability(data, PRICED) == 0.8
    assert probability(replace(data, signals=frozenset()), PRICED) < 0.8


def test_what_the_program_itself_shows_of_a_second_iteration_is_at_least_likely() -> None:
    again = (Premise("iterated-again", Prior.USUAL),)
    own = Signs("AG323", again, frozenset({"whole-program"}))
    assert probability(own, PRICED) == 0.8
    assert probability(replace(own, signals=frozenset()), PRICED) < 0.8
    both = (*again, Premise("argument-requires-grad", Prior.USUAL))
    assert probability(replace(own, assumed=both), PRICED) < 0.8
