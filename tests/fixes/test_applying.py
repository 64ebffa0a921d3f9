"""Fixes applied until nothing is left."""

import re
from dataclasses import replace
from typing import Any

import pytest

from autograd_lint.findings import Edit, Finding, Fix, Prediction, Severity
from autograd_lint.fixes.applying import apply, proven
from autograd_lint.fixes.mending import Recheck
from autograd_lint.places import Place


def finding(
    row: int,
    column: int,
    length: int,
    content: str,
    applicability: str = "safe",
    code: str = "AG101",
    **more: Any,
) -> Finding:
    place = Place("a.py", row, column, row, column + length)
    fix = Fix(applicability, "mend", (Edit(content, place),))
    return Finding(code, "leaf-modified", "no", place, fix=fix, **more)


def ones(data: bytes) -> list[Finding]:
    """A finding wherever a 1 stands, whose fix makes it a 2."""
    return [finding(1, match.start() + 1, 1, "2") for match in re.finditer(rb"1", data)]


def none(data: bytes) -> list[Finding]:
    return []


def test_all_fixes_of_a_round_are_applied() -> None:
    fixed = apply(b"x = 1 + 1\n", "a.py", ones(b"x = 1 + 1\n"), ones, unsafe=False)
    assert (fixed.data, fixed.count) == (b"x = 2 + 2\n", 2)


def test_what_is_found_after_a_fix_is_fixed_too() -> None:
    found = [finding(1, 5, 1, "1", code="AG103")]
    fixed = apply(b"x = 0\n", "a.py", found, ones, unsafe=False)
    assert (fixed.data, fixed.count) == (b"x = 2\n", 2)


def test_of_overlapping_fixes_one_waits() -> None:
    found = [finding(1, 1, 5, "y = 7"), finding(1, 5, 1, "8")]
    assert apply(b"x = 1\n", "a.py", found, none, unsafe=False).data == b"y = 7\n"


def test_fixes_that_lead_to_ever_more_are_not_applied() -> None:
    def again(data: bytes) -> list[Finding]:
        return [finding(1, 1, 0, "-", code=f"AG{len(data)}")]

    fixed = apply(b"1\n", "a.py", again(b""), again, unsafe=False)
    assert (fixed.data, fixed.count) == (b"1\n", 0)


def raising(row: int, code: str = "AG103", fixable: bool = False) -> Finding:
    """A finding on row 1 that predicts an error on a row."""
    predicts = Prediction("saved-tensor-modified", "a.py", row)
    found = finding(1, 5, 1, "7", code=code, predicts=predicts)
    return found if fixable else replace(found, fix=None)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (finding(1, 5, 1, "7"), finding(1, 5, 1, "8")),  # it is there as before
        (raising(2, fixable=True), replace(raising(2, "AG105"), place=Place("a.py", 2, 1, 2, 2))),
        (finding(1, 5, 1, "7"), replace(raising(2), place=Place("a.py", 2, 1, 2, 2))),
        (raising(2, fixable=True), replace(finding(1, 1, 1, "", code="AG311"), fix=None)),
    ],
    ids=["the same", "raises at the same line", "raises now", "new on the same line"],
)
def test_a_fix_that_mends_nothing_is_not_applied(before: Finding, after: Finding) -> None:
    data = b"x = 1\ny = x\n"
    fixed = apply(data, "a.py", [before], lambda data: [after], unsafe=False)
    assert (fixed.data, fixed.count) == (data, 0)


def then(row: int, fix: Fix | None = None) -> Finding:
    """An error on a row that a fix has led to."""
    place = Place("a.py", row, 1, row, 2)
    return replace(raising(row, "AG101"), place=place, fix=fix)


MEND = (Edit("z", Place("a.py", 2, 1, 2, 2)),)


@pytest.mark.parametrize(
    ("fix", "applied"),
    [
        (None, b"x = 1\ny = x\n"),
        (Fix("safe", "mend", MEND), b"x = 7\nz = x\n"),
        (Fix("unsafe", "mend", MEND), b"x = 7\ny = x\n"),
    ],
    ids=["no fix", "safe", "for another time"],
)
def test_what_a_fix_has_led_to_must_be_fixable(fix: Fix | None, applied: bytes) -> None:
    def found(data: bytes) -> list[Finding]:
        return [then(2, fix)] if b"y" in data else []

    data = b"x = 1\ny = x\n"
    assert apply(data, "a.py", [raising(2, fixable=True)], found, unsafe=False).data == applied


def test_what_stands_behind_the_line_that_raised_speaks_not_against_a_fix() -> None:
    data = b"x = 1\ny = x\n"
    fixed = apply(data, "a.py", [raising(1, fixable=True)], lambda data: [then(2)], unsafe=False)
    assert fixed.count == 1


@pytest.mark.parametrize(("severity", "count"), [(Severity.INFO, 1), (Severity.WARNING, 0)])
def test_what_is_told_for_information_speaks_not_against_a_fix(
    severity: Severity, count: int
) -> None:
    new = replace(finding(1, 1, 1, "", code="AG504", severity=severity), fix=None)
    data = b"x = 1\ny = x\n"
    found = [raising(2, fixable=True)]
    assert apply(data, "a.py", found, lambda data: [new], unsafe=False).count == count


def test_a_fix_is_undone_with_what_it_has_led_to() -> None:
    bad = then(2, Fix("safe", "mend", (Edit("(", MEND[0].place),)))
    data = b"x = 1\ny = x\n"
    fixed = apply(data, "a.py", [raising(2, fixable=True)], lambda data: [bad], unsafe=False)
    assert (fixed.data, fixed.count) == (data, 0)


def test_a_fix_after_which_the_file_cannot_be_checked_is_not_applied() -> None:
    found = [finding(1, 5, 1, "2")]
    assert apply(b"x = 1\n", "a.py", found, lambda data: None, unsafe=False).count == 0


def offered(data: bytes, found: list[Finding], recheck: Recheck) -> list[str]:
    """The codes of the findings that keep their fixes."""
    return [one.code for one in proven(data, "a.py", found, recheck) if one.fix]


def test_fixes_that_hold_are_offered_after_one_look() -> None:
    looks: list[bytes] = []

    def look(data: bytes) -> list[Finding]:
        looks.append(data)
        return []

    assert offered(b"x = 1 + 1\n", ones(b"x = 1 + 1\n"), look) == ["AG101", "AG101"]
    assert looks == [b"x = 2 + 2\n"]


def test_only_the_fix_that_does_not_hold_is_left_out() -> None:
    bad = finding(1, 1, 1, "(", code="AG102")
    assert offered(b"x = 1\n", [bad, *ones(b"x = 1\n")], none) == ["AG101"]


def test_a_fix_that_overlaps_another_is_tried_by_itself() -> None:
    found = [finding(1, 1, 5, "y = 7"), finding(1, 5, 1, "8", "unsafe", "AG102")]
    assert offered(b"x = 1\n", found, none) == ["AG101", "AG102"]


def test_a_fix_that_leads_to_an_error_is_not_offered() -> None:
    assert offered(b"x = 1\ny = x\n", [raising(2, fixable=True)], lambda data: [then(2)]) == []


def test_fixes_for_display_are_offered_untried() -> None:
    assert offered(b"x = 1\n", [finding(1, 5, 1, "(", "display")], none) == ["AG101"]


def test_one_fix_of_many_that_does_not_hold_is_soon_found() -> None:
    data = b"".join(b"x = 1\n" for _ in range(64))
    found = [finding(row, 5, 1, "2", code="AG101") for row in range(1, 65)]
    looks: list[bytes] = []

    def look(data: bytes) -> list[Finding] | None:
        looks.append(data)
        return None if data.split(b"\n")[40].endswith(b"2") else []

    assert len(offered(data, found, look)) == 63
    assert len(looks) == 13


def test_one_fix_of_many_that_does_not_hold_keeps_none_from_being_applied() -> None:
    data = b"".join(b"x%02d = 1\n" % row for row in range(64))
    found = [finding(row, 7, 1, "2", code="AG101") for row in range(1, 65)]

    def look(data: bytes) -> list[Finding] | None:
        rows = data.split(b"\n")
        again = [one for row, one in enumerate(found) if rows[row].endswith(b"1")]
        return None if rows[40].endswith(b"2") else again

    assert apply(data, "a.py", found, look, unsafe=False).count == 63


def test_of_very_many_fixes_that_do_not_hold_together_some_are_not_tried() -> None:
    data = b"".join(b"x = 1\n" for _ in range(100))
    found = [finding(row, 5, 1, "2", code="AG101") for row in range(1, 101)]
    assert len(offered(data, found, lambda data: [] if data.count(b"2") == 1 else None)) == 24


def test_one_bad_fix_does_not_keep_the_others() -> None:
    bad = finding(1, 1, 1, "(", code="AG102")
    fixed = apply(b"x = 1\n", "a.py", [bad, *ones(b"x = 1\n")], ones, unsafe=False)
    assert (fixed.data, fixed.count) == (b"x = 2\n", 1)


def test_a_fix_that_would_not_parse_is_dropped() -> None:
    fixed = apply(b"x = 1\n", "a.py", [finding(1, 5, 1, "(")], none, unsafe=False)
    assert (fixed.data, fixed.count) == (b"x = 1\n", 0)


def test_a_fix_that_the_encoding_cannot_say_is_dropped() -> None:
    data = b"# coding: ascii\nx = 1\n"
    assert apply(data, "a.py", [finding(2, 1, 1, "é")], none, unsafe=False).data == data


@pytest.mark.parametrize(("unsafe", "expected"), [(False, b"x = 1\n"), (True, b"x = 2\n")])
def test_unsafe_fixes_must_be_asked_for(unsafe: bool, expected: bytes) -> None:
    found = [finding(1, 5, 1, "2", "unsafe")]
    assert apply(b"x = 1\n", "a.py", found, none, unsafe).data == expected


def test_fixes_for_display_are_never_applied() -> None:
    found = [finding(1, 5, 1, "2", "display")]
    assert apply(b"x = 1\n", "a.py", found, none, unsafe=True).count == 0


def test_fixes_of_other_files_are_left_alone() -> None:
    assert apply(b"x = 1\n", "b.py", ones(b"x = 1"), none, unsafe=True).count == 0
