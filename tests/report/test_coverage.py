"""What no run has reached, as text and as JSON."""

import json

import pytest

from autograd_lint.coverage import Coverage, Missed, Why
from autograd_lint.report import coverage, left_out

FOUND = {
    "/p/a.py": Coverage(3, (Missed(4, 4, "f", "no-caller"), Missed(10, 12, "g", "budget"))),
    "/p/b.py": Coverage(1),
}


def text() -> list[str]:
    return ["".join(part for part, _ in line) for line in coverage.text(FOUND)]


def test_each_file_with_what_was_missed_and_a_line_about_all() -> None:
    assert text() == [
        "/p/a.py: missed 2 of 3 statements that write or walk",
        "      4  nothing that was run calls `f`",
        "  10-12  the budget of the file was used up before it",
        "Reached 2 of 4 statements with known operands (50%).",
    ]


@pytest.mark.parametrize("why", list(Why))
def test_every_reason_has_words(why: Why) -> None:
    one = {"a.py": Coverage(1, (Missed(4, 4, "f", why.value, 3),))}
    assert len(list(coverage.text(one))) == 3


def test_as_json() -> None:
    first, second = json.loads(coverage.document(FOUND))
    assert (first["filename"], first["statements"], first["reached"]) == ("/p/a.py", 3, 1)
    assert first["missed"][0]["why"] == "no-caller"
    assert second["missed"] == []


def test_one_line_about_what_a_budget_left_out() -> None:
    names = {f"{name}.py": ("f", "g") for name in "abcde"}
    told = left_out.line(names)
    assert told.startswith("10 definitions were not run, as the budget of a file was used up: 2 in")
    assert told.endswith("and more in 2 others")


def test_a_note_counts_as_no_finding() -> None:
    note = left_out.note({"a.py": ("f",)})
    assert (note["count"], note["notes"]) == (0, [{"filename": "a.py", "not_run": ["f"]}])
