"""The labels of findings that were read can be used by programs, and what is fitted to them."""

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.labels import first_sight, fitting, precision, reading, reporting

from autograd_lint.engine.assumptions import Kind, Prior
from autograd_lint.evidence.counts import PATH, Group
from autograd_lint.evidence.probability import Premise, Signs
from autograd_lint.rules import precision as rules_precision

USUAL = Premise("result-trained", Prior.USUAL)


def signs(code: str) -> Signs:
    return Signs(code, (USUAL,), frozenset())


def test_no_finding_is_labelled_twice() -> None:
    spots = Counter(one.spot for one in reading.labels())
    assert [spot for spot, times in spots.items() if times > 1] == []


def test_verdicts_and_kinds_are_known() -> None:
    known = {kind.value for kind in Kind}
    for one in reading.labels():
        assert one.verdict in ("right", "pedantic", "wrong")
        assert known.issuperset(one.kinds)


def test_the_half_of_a_code_base_follows_from_its_name() -> None:
    assert [reading.is_for_fitting(name) for name in ("Owner/name", "owner/Name", "piq")] == [
        True,
        True,
        False,
    ]


def test_the_counts_of_the_package_are_those_of_the_labels() -> None:
    learnt, gone = reading.learnt(fits=True), reading.gone(fits=True)
    found = fitting.as_toml(learnt, gone, reading.causes_read(), reading.planted())
    assert found == PATH.read_text(encoding="utf-8")


def test_the_pages_of_rules_count_the_labels() -> None:
    assert precision.as_json() == rules_precision.PATH.read_text(encoding="utf-8")


def test_what_was_certain_and_is_told_no_more_assumes_nothing() -> None:
    found = [one for one in reading.gone(fits=True) if one.label.certainty == "certain"]
    assert found
    assert not any(one.signs.assumed for one in found)


def test_what_was_likely_and_is_told_no_more_assumes_what_it_did_when_it_was_read() -> None:
    found = [one for one in reading.gone(fits=True) if one.label.certainty == "likely"]
    assert found
    assert all({*one.label.kinds} == {why.kind for why in one.signs.assumed} for one in found)


def test_what_is_told_no_more_says_nothing_of_what_its_rule_assumes() -> None:
    label = reading.Label(reading.Spot("a", "1", "a.py", None, 1, "AG311"), "certain", (), "wrong")
    told = fitting.as_toml([], [reading.Learnt(label, Signs("AG311", (), frozenset()))], Counter())
    assert "[outright.AG311]" in told
    assert "[rule.AG311]" not in told


def test_findings_of_one_cause_count_as_one_together() -> None:
    spots = [reading.Spot("a", "1", "a.py", None, row, "AG103") for row in range(8)]
    labels = [reading.Label(spot, "likely", (), "wrong", why="one cause") for spot in spots]
    others = [replace(label, why=str(label.spot.row)) for label in labels]
    one, many = (
        fitting.as_toml([reading.Learnt(own, signs("AG103")) for own in chosen], [], Counter())
        for chosen in (labels, others)
    )
    assert _weight(one, "rule.AG103") > _weight(many, "rule.AG103")


def test_what_is_found_out_of_a_label_is_kept_beside_what_is_known_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told.jsonl"
    monkeypatch.setattr(reading, "TOLD", told)
    gone, known, new = (reading.Spot("a", "1", "a.py", None, row, "AG103") for row in (1, 2, 3))
    lines = [json.dumps({**one._asdict(), "told": None}) + "\n" for one in (gone, known)]
    told.write_text("".join(lines), encoding="utf-8")
    now = reading.Told((), (), ("in-package",))
    reading.keep({known: now, new: now})
    assert reading.told() == {gone: None, known: now, new: now}


def test_the_report_counts_findings_of_one_cause_once_beside_the_count_of_all() -> None:
    spots = [reading.Spot("a", "1", "a.py", None, row, "AG999") for row in range(8)]
    labels = [reading.Label(spot, "likely", (), "wrong", why="one cause") for spot in spots]
    rows = list(
        reporting.report([reading.Learnt(one, Signs("AG999", (), frozenset())) for one in labels])
    )
    assert "| likely | 0 | 0 | 8 | 0% | 0% |" in rows
    assert "| likely, by cause | 0 | 0 | 1 | 0% | 0% |" in rows


def test_each_set_of_code_bases_has_a_row_of_what_was_told_at_first_sight() -> None:
    rows = {row.split(" | ")[0].removeprefix("| "): row for row in first_sight.table()}
    assert rows["c"].startswith("| c | 49 | 0.9 million | 6 / 1 / 6 | 4 / 3 / 6 |")
    assert {one.stem.removeprefix("bases_") for one in reading.FOLDER.glob("bases_*")} < {*rows}


def test_mistakes_that_were_put_in_weigh_and_are_not_counted() -> None:
    without = fitting.as_toml([], [], Counter(), [])
    planted = fitting.as_toml([], [], Counter(), [signs("AG322")] * 9)
    assert "[rule.AG322]" not in without
    assert _weight(planted, "rule.AG322") > 0
    assert _number(planted, "rule.AG322", "right") == 0


def _weight(told: str, sign: str) -> float:
    return _number(told, sign, "weight")


def _number(told: str, sign: str, name: str) -> float:
    """A number of a sign in what was written."""
    section = told.partition(f"[{sign}]")[2]
    return float(section.partition(f"{name} = ")[2].partition("\n")[0])


def test_a_single_label_turns_no_sign() -> None:
    wrong = fitting.example(signs("AG103"), 0.0)
    once, often = (fitting.fit([wrong] * times)[Group.RULE, "AG103"] for times in (1, 2))
    assert once.weight == 0
    assert often.weight < 0


def test_a_rule_that_is_wrong_more_often_weighs_less() -> None:
    examples = [fitting.example(signs("AG501"), 1.0)] * 9 + [fitting.example(signs("AG103"), 0)] * 9
    found = fitting.fit(examples)
    good, bad = (found[Group.RULE, code] for code in ("AG501", "AG103"))
    assert (good.right, good.wrong, bad.right, bad.wrong) == (9, 0, 0, 9)
    assert good.weight > 0 > bad.weight


def test_the_weights_of_what_was_never_seen_stay_where_they_began() -> None:
    found = fitting.fit([fitting.example(signs("AG501"), 1.0)])
    assert found[Group.TOGETHER, "daring"].weight == -5.0


def test_the_fitted_weights_are_the_best_ones() -> None:
    found = fitting.fit([fitting.example(signs("AG501"), share) for share in (1.0, 1.0, 0.0)])
    odds = sum(counted.weight for name, counted in found.items() if _is_of(name))
    assert 2 / 3 < 1 / (1 + math.exp(-odds)) < 0.95  # between what was seen and where it began


def _is_of(name: object) -> bool:
    wanted = (fitting.EVERY, (Group.RULE, "AG501"), (Group.TOGETHER, "usual"))
    return name in (*wanted, (Group.KIND, "result-trained"))


def test_that_the_program_itself_shows_it_never_weighs_against_a_finding() -> None:
    shown = Signs("AG501", (USUAL,), frozenset({"whole-program"}))
    found = fitting.fit([fitting.example(shown, 0.0)] * 9)
    assert found[Group.SIGNAL, "whole-program"].weight == 0


def test_a_bug_that_was_fixed_counts_for_several_findings() -> None:
    (once, twice) = (
        fitting.fit([fitting.example(signs("AG501"), 1.0, fixed=fixed)] * 3)[Group.RULE, "AG501"]
        for fixed in (False, True)
    )
    assert twice.weight > once.weight > 0
    assert (twice.right, once.right) == (3, 3)


def test_what_was_certain_and_is_gone_counts_as_shown_by_a_run_as_often_as_what_is_told() -> None:
    spots = [reading.Spot("a/b", "1", "a.py", None, row, "AG999") for row in range(3)]
    labels = [reading.Label(one, "certain", (), "wrong", why=str(one.row)) for one in spots]
    run = Signs("AG999", (), frozenset({"whole-program"}))
    plain = Signs("AG999", (), frozenset())
    told = [reading.Learnt(replace(one, verdict="right"), run) for one in labels]
    gone = [reading.Learnt(one, plain) for one in labels]
    fitted = fitting.as_toml(told, gone, Counter())
    assert _weight(fitted, "signal.whole-program") == 0
    assert _number(fitted, "signal.whole-program", "wrong") == 0
