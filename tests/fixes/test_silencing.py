"""Comments that silence the findings of a file."""

from dataclasses import replace

import pytest
from tests import fakes

from autograd_lint.findings import Finding
from autograd_lint.fixes.silencing import add_comments
from autograd_lint.places import Place
from autograd_lint.project import suppressions
from autograd_lint.project.source import Source


def found(text: str, *codes: str) -> list[Finding]:
    source = Source("a.py", text)
    read = suppressions.read(source)
    places = fakes.bad_places(source)
    made = [fakes.finding_at(place, code=code) for place in places for code in codes or ("AG101",)]
    return [replace(one, noqa_row=read.noqa_row(one.place.row)) for one in made]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bad()\n", "bad()  # autograd-lint: ignore[AG101]\n"),
        ("bad()", "bad()  # autograd-lint: ignore[AG101]"),
        ("bad()   \r\nx\r\n", "bad()  # autograd-lint: ignore[AG101]   \r\nx\r\n"),
        ("bad()  # why\n", "bad()  # why  # autograd-lint: ignore[AG101]\n"),
        ("bad()  # noqa: E501\n", "bad()  # noqa: E501  # autograd-lint: ignore[AG101]\n"),
        (
            "bad()  # autograd-lint: ignore[AG3]  # why\n",
            "bad()  # autograd-lint: ignore[AG3, AG101]  # why\n",
        ),
        ('bad("""\n""")\n', 'bad("""\n""")  # autograd-lint: ignore[AG101]\n'),
    ],
)
def test_a_comment_is_added(text: str, expected: str) -> None:
    text = text.replace('bad("""', 'bad(), ("""')
    expected = expected.replace('bad("""', 'bad(), ("""')
    data, count = add_comments(text.encode(), "a.py", found(text))
    assert (data.decode(), count) == (expected, 1)


def test_several_codes_share_a_comment() -> None:
    data, _ = add_comments(b"bad()\n", "a.py", found("bad()\n", "AG103", "AG101"))
    assert data == b"bad()  # autograd-lint: ignore[AG101, AG103]\n"


def test_what_is_added_silences() -> None:
    data, _ = add_comments(b"bad()\n", "a.py", found("bad()\n"))
    text = data.decode()
    assert suppressions.read(Source("a.py", text)).silencing(found(text)[0])


def test_a_file_that_cannot_be_parsed_is_left_alone() -> None:
    assert add_comments(b"bad()\xe9", "a.py", found("bad()\n", "AG901")) == (b"bad()\xe9", 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bad()\n", "bad()  # autograd-lint: ignore[AG101]  # known since  may\n"),
        (
            "bad()  # noqa: E501\n",
            "bad()  # noqa: E501  # autograd-lint: ignore[AG101]  # known since  may\n",
        ),
        (
            "bad()  # autograd-lint: ignore[AG3]  # why\n",
            "bad()  # autograd-lint: ignore[AG3, AG101]  # why\n",
        ),
    ],
)
def test_a_reason_stands_behind_the_comment(text: str, expected: str) -> None:
    data, _ = add_comments(text.encode(), "a.py", found(text), "known since\n may")
    assert data.decode() == expected.replace("since  may", "since may")
    silencing = suppressions.read(Source("a.py", data.decode())).silencing(found(text)[0])
    assert silencing is not None and "AG101" in silencing.codes


def test_comments_are_added_in_cells() -> None:
    text = '{"cells": [{"cell_type": "code", "source": ["x = 1\\n", "bad()"]}]}'
    place = Place("a.ipynb:cell 1", 2, 1, 2, 6)
    data, count = add_comments(text.encode(), "a.ipynb", [fakes.finding_at(place)])
    assert (data.decode(), count) == (
        text.replace("bad()", "bad()  # autograd-lint: ignore[AG101]"),
        1,
    )
