"""Places in the units of the editor."""

import pytest
from lsprotocol.types import Position, Range
from pygls.workspace import PositionCodec

from autograd_lint.places import Place
from autograd_lint.server.columns import range_of, touches

LINES = ['s = "é𝔻€"; x']


def at(start: int, end: int) -> Range:
    return Range(Position(0, start), Position(0, end))


@pytest.mark.parametrize(
    ("encoding", "expected"), [("utf-8", (17, 18)), ("utf-16", (12, 13)), ("utf-32", (11, 12))]
)
def test_a_place_behind_other_than_ascii(encoding: str, expected: tuple[int, int]) -> None:
    found = range_of(Place("a.py", 1, 12, 1, 13), LINES, PositionCodec(encoding))
    assert found == at(*expected)


def test_a_place_behind_the_last_line_is_its_end() -> None:
    place = Place("a.py", 1, 1, 2, 1)
    assert range_of(place, LINES, PositionCodec("utf-32")) == at(0, 12)


def test_without_the_lines_columns_are_taken_as_they_are() -> None:
    place = Place("a.py", 1, 2, 1, 3)
    assert range_of(place, (), PositionCodec()) == at(1, 2)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (at(1, 3), at(3, 3), True),
        (at(1, 3), at(1, 1), True),
        (at(1, 3), at(4, 4), False),
        (at(1, 3), at(0, 9), True),
    ],
)
def test_touches(one: Range, other: Range, expected: bool) -> None:
    assert touches(one, other) is expected
    assert touches(other, one) is expected
