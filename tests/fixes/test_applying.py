"""Fixes applied until nothing is left."""

import re

import pytest

from autograd_lint.findings import Edit, Finding, Fix
from autograd_lint.fixes.applying import apply
from autograd_lint.places import Place


def finding(
    row: int, column: int, length: int, content: str, applicability: str = "safe"
) -> Finding:
    place = Place("a.py", row, column, row, column + length)
    fix = Fix(applicability, "mend", (Edit(content, place),))
    return Finding("AG101", "leaf-modified", "no", place, fix=fix)


def ones(data: bytes) -> list[Finding]:
    """A finding wherever a 1 stands, whose fix makes it a 2."""
    return [finding(1, match.start() + 1, 1, "2") for match in re.finditer(rb"1", data)]


def none(data: bytes) -> list[Finding]:
    return []


def test_all_fixes_of_a_round_are_applied() -> None:
    fixed = apply(b"x = 1 + 1\n", "a.py", ones(b"x = 1 + 1\n"), ones, unsafe=False)
    assert (fixed.data, fixed.count) == (b"x = 2 + 2\n", 2)


def test_what_is_found_after_a_fix_is_fixed_too() -> None:
    fixed = apply(b"x = 0\n", "a.py", [finding(1, 5, 1, "1")], ones, unsafe=False)
    assert (fixed.data, fixed.count) == (b"x = 2\n", 2)


def test_of_overlapping_fixes_one_waits() -> None:
    found = [finding(1, 1, 5, "y = 7"), finding(1, 5, 1, "8")]
    assert apply(b"x = 1\n", "a.py", found, none, unsafe=False).data == b"y = 7\n"


def test_fixes_that_never_end_are_stopped() -> None:
    def again(data: bytes) -> list[Finding]:
        return [finding(1, 1, 0, "-")]

    assert apply(b"1\n", "a.py", again(b""), again, unsafe=False).count == 10


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
