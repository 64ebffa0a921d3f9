"""Comments that silence findings."""

import pytest
from tests import fakes

from autograd_lint.project import suppressions
from autograd_lint.project.source import Source


def silenced(text: str) -> list[int]:
    """The rows of the `bad()` that comments silence."""
    source = Source("a.py", text)
    read = suppressions.read(source)
    found = [fakes.finding_at(place) for place in fakes.bad_places(source)]
    return [finding.place.row for finding in found if read.silencing(finding)]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "# NOQA",
        "#noqa",
        "# noqa: AG101",
        "# noqa:AG101",
        "# noqa: E501, AG101",
        "# noqa: E501 AG101",
        "# noqa: AG1",
        "# noqa: leaf-modified",
        "# type: ignore  # noqa: AG101",
        "# autograd-lint: ignore",
        "# autograd-lint: ignore[AG101]",
        "# autograd-lint:ignore[AG102, AG101]",
        "# autograd-lint: ignore[leaf-modified]",
        "# autograd-lint: ignore[AG101] the optimizer does not see it",
    ],
)
def test_a_comment_on_the_line_silences(comment: str) -> None:
    assert silenced(f"bad()  {comment}\n") == [1]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: AG102",
        "# noqas",
        "# autograd-lint: ignore[AG102]",
        "# autograd-lint: ignored",
        "# ruff: ignore[AG101]",
    ],
)
def test_a_comment_on_something_else_does_not(comment: str) -> None:
    assert silenced(f"bad()  {comment}\n") == []


def test_a_string_is_no_comment() -> None:
    assert silenced('bad("# noqa")\nx = bad(), "# autograd-lint: ignore"\n') == []


def test_ignore_on_the_line_above_silences() -> None:
    assert silenced("# autograd-lint: ignore[AG101]\nbad()\nbad()\n") == [2]


def test_noqa_on_the_line_above_does_not() -> None:
    assert silenced("# noqa\nbad()\n") == []


def test_ignore_above_covers_the_whole_statement() -> None:
    assert silenced("# autograd-lint: ignore\nf(\n    1,\n    bad(),\n)\nbad()\n") == [4]


def test_ignore_above_inside_a_statement_covers_the_next_line() -> None:
    assert silenced("f(\n    # autograd-lint: ignore\n    bad(),\n    bad(),\n)\n") == [3]


def test_other_comments_may_stand_between() -> None:
    assert silenced("# autograd-lint: ignore\n# because\n\nbad()\n") == [4]


def test_ignore_beside_code_does_not_reach_the_next_line() -> None:
    assert silenced("x = 1  # autograd-lint: ignore\nbad()\n") == []


def test_ignore_at_the_end_of_a_file_is_harmless() -> None:
    assert silenced("bad()\n# autograd-lint: ignore") == []


def test_ignore_file_covers_every_line() -> None:
    assert silenced("bad()\nbad()\n# autograd-lint: ignore-file[AG101]\n") == [1, 2]


def test_a_bare_ignore_file_covers_every_code() -> None:
    assert silenced("# autograd-lint: ignore-file\nbad()\n") == [2]


def test_ignore_file_of_another_code_does_not() -> None:
    assert silenced("# autograd-lint: ignore-file[AG102]\nbad()\n") == []


def test_noqa_after_a_long_string_speaks_for_its_first_line() -> None:
    text = 'f(bad(), """\ntext\n""")  # noqa\n'
    source = Source("a.py", text)
    assert suppressions.read(source).noqa_row(1) == 3


def test_noqa_after_a_backslash_speaks_for_the_lines_before() -> None:
    source = Source("a.py", "x = 1 + \\\n    2 + \\\n    3\ny = 1\n")
    read = suppressions.read(source)
    assert [read.noqa_row(row) for row in (1, 2, 3, 4)] == [3, 3, 3, 4]


def test_a_backslash_in_a_comment_joins_nothing() -> None:
    assert suppressions.read(Source("a.py", "x = 1  # a \\\ny = 1\n")).noqa_row(1) == 1


MANY = '''\
# autograd-lint: ignore[AG101]
import torch; s = """long
string"""  # noqa
# noqa: AG103
@decorated  # noqa: AG1
def first(x):
    # autograd-lint: ignore
    x = \\
        2
    return """a
    b"""
    # autograd-lint: ignore[AG201]
y = 1; z = (
    2,  # autograd-lint: ignore[leaf-modified]
    # autograd-lint: ignore
    3,
)

class Last:
    def method(self): return 1  # noqa: AG104

    # autograd-lint: ignore
# noqa
'''


FOR_ALL = "x = 1\n\n# autograd-lint: ignore-file[AG1]\ny = 2\n"


@pytest.mark.parametrize("text", [MANY, FOR_ALL, "x = 1"])
def test_around_a_row_is_what_is_in_the_whole(text: str) -> None:
    source = Source("a.py", text)
    whole = suppressions.read(source)
    for row in range(1, len(source.lines) + 1):
        near = suppressions.around(source, row)
        assert near.noqa_row(row) == whole.noqa_row(row)
        assert set(near.comments) <= set(whole.comments)
        others = set(whole.comments) - set(near.comments)
        assert not any(one.rows is None or row in one.rows for one in others)
