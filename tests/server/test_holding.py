"""What was found before a syntax error, moved with its lines."""

import pytest
from tests import fakes

from autograd_lint.findings import Finding, Related
from autograd_lint.places import Place
from autograd_lint.server.holding import held
from autograd_lint.server.programs import Part, Program

BEFORE = "a\nb\nc\nd"


def program(text: str) -> Program:
    return Program("uri", "a.py", (Part("uri", "a.py", text, 1),))


def finding(row: int, *related: Place) -> Finding:
    others = tuple(Related("saved", "", place) for place in related)
    return fakes.finding_at(Place("a.py", row, 1, row, 2), related=others)


@pytest.mark.parametrize(
    ("after", "rows"),
    [
        ("a\nb\nc\nd", [1, 2, 3, 4]),
        ("new\na\nb\nc\nd", [2, 3, 4, 5]),
        ("a\nb\n(\nc\nd", [1, 2, 4, 5]),
        ("a\n(\nc\nd", [1, 3, 4]),
        ("a\nd", [1, 2]),
        ("a\na\nb\nc\nd", [1, 3, 4, 5]),
        ("", []),
    ],
)
def test_findings_move_with_their_lines(after: str, rows: list[int]) -> None:
    found = [finding(row) for row in (1, 2, 3, 4)]
    kept = held(program(BEFORE), found, program(after), [])
    assert [one.place.row for one in kept] == rows
    assert [one.noqa_row for one in kept] == rows


def test_related_places_move_or_go() -> None:
    elsewhere = Place("b.py", 2, 1, 2, 2)
    found = finding(4, Place("a.py", 1, 1, 1, 2), Place("a.py", 2, 1, 2, 2), elsewhere)
    (kept,) = held(program(BEFORE), [found], program("a\n(\n(\nc\nd"), [])
    assert [one.place for one in kept.related] == [Place("a.py", 1, 1, 1, 2), elsewhere]


def test_what_is_found_anew_is_not_held() -> None:
    assert held(program(BEFORE), [finding(1)], program(BEFORE), [finding(1)]) == ()
