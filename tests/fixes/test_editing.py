"""Edits that keep a file's encoding and line ends."""

import pytest

from autograd_lint.findings import Edit
from autograd_lint.fixes.editing import Document
from autograd_lint.places import Place


def edit(content: str, row: int, column: int, end_row: int, end_column: int) -> Edit:
    return Edit(content, Place("a.py", row, column, end_row, end_column))


def test_an_edit_replaces_its_place() -> None:
    changed = Document("a = 1\nb = 2\n").edited([edit("3", 2, 5, 2, 6)])
    assert changed.text == "a = 1\nb = 3\n"


def test_edits_are_independent_of_their_order() -> None:
    edits = [edit("x", 1, 1, 1, 2), edit("long", 1, 5, 1, 6)]
    document = Document("a = 1\n")
    assert document.edited(edits).text == document.edited(edits[::-1]).text == "x = long\n"


def test_an_edit_may_reach_over_lines() -> None:
    assert Document("f(\n    1,\n)\n").edited([edit("g()", 1, 1, 3, 2)]).text == "g()\n"


def test_an_edit_may_stand_at_the_end() -> None:
    assert Document("a = 1").edited([edit("  # b", 1, 6, 1, 6)]).text == "a = 1  # b"
    assert Document("a = 1\n").edited([edit("b", 2, 1, 2, 1)]).text == "a = 1\nb"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_stay_as_they_are(end: str) -> None:
    changed = Document(f"a = 1{end}b = 2{end}").edited([edit("c = 3\nd", 2, 1, 2, 2)])
    assert changed.text == f"a = 1{end}c = 3{end}d = 2{end}"


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfa = 1\n",
        "# coding: latin-1\na = 'é'\n".encode("latin-1"),
        "a = 'é'\r\n".encode(),
    ],
)
def test_the_encoding_stays_as_it_is(data: bytes) -> None:
    assert Document.of(data).encoded() == data


def test_columns_count_characters() -> None:
    assert Document("s = '日本'; w += 1\n").edited([edit("v", 1, 11, 1, 12)]).text == (
        "s = '日本'; v += 1\n"
    )


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (edit("", 1, 3, 1, 5), True),
        (edit("", 1, 1, 1, 2), True),
        (edit("", 1, 4, 1, 4), False),
        (edit("", 1, 4, 1, 6), False),
    ],
)
def test_overlaps(other: Edit, expected: bool) -> None:
    document = Document("abcdef\n")
    assert document.overlap([edit("", 1, 1, 1, 4)], [other]) is expected


@pytest.mark.parametrize(
    ("row", "column", "expected"),
    [(1, 1, (1, 1)), (1, 5, (1, 5)), (2, 1, (3, 1)), (2, 5, (3, 7)), (2, 2, (3, 1))],
)
def test_a_place_moves_with_the_text(row: int, column: int, expected: tuple[int, int]) -> None:
    edits = [edit("new\n", 2, 1, 2, 1), edit("long", 2, 1, 2, 3)]
    moved = Document("a = 1\nb = 2\n").moved(Place("a.py", row, column, row, column), edits)
    assert (moved.row, moved.column) == expected
