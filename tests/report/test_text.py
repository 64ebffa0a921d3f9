"""Findings drawn as a compiler draws them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PureWindowsPath
from textwrap import dedent

import pytest
from tests.report.examples import TRAIN, place, saved_tensor_modified, simple

from autograd_lint.findings import Certainty, Confirmation, Finding, Related
from autograd_lint.places import Place
from autograd_lint.report import text


def drawn(finding: Finding, source: str, width: int = 100) -> str:
    def lines(filename: str) -> Sequence[str]:
        return source.split("\n")

    return "\n".join("".join(part for part, _ in line) for line in text.one(finding, lines, width))


def shown(expected: str) -> str:
    return dedent(expected).strip("\n")


def finding(source: str, row: int, part: str, *related: Related, label: str = "here") -> Finding:
    where = place(source, row, part)
    return Finding("AG101", "leaf-modified", "no", where, label=label, related=related)


def other(source: str, row: int, part: str, message: str = "there") -> Related:
    return Related("saved", message, place(source, row, part))


def excerpt(finding: Finding, source: str, width: int = 100) -> str:
    """The drawing without its header, so that a test shows what it is about."""
    return drawn(finding, source, width).partition("\n")[2].partition("\n")[2]


def test_the_whole_picture() -> None:
    assert drawn(saved_tensor_modified(), TRAIN, 90) == shown("""
    error[AG103] saved-tensor-modified: `h` is modified in place after `sigmoid` saved it
      --> /project/train.py:7:5
       |
     5 |     h = torch.sigmoid(x)
       |         ---------------- `sigmoid` saves its result here
     6 |     # double it
     7 |     h.mul_(2)
       |     ^^^^^^^^^ modified in place here: version 1, saved at version 0
    ...
    13 |     loss.backward()
       |     --------------- `backward()` needs it here
       |
       = reason: `backward()` needs the values as they were when they were saved, and finds by
                 the version counter that they are not
       = assuming: `x` requires grad
       = help: use `h = h.mul(2)`
    """)


def test_a_long_headline_breaks_between_words() -> None:
    found = replace(
        simple(), message="`h` is modified in place after `sigmoid` saved it for backward"
    )
    first, second = drawn(found, TRAIN, 60).splitlines()[:2]
    assert first == "error[AG101] leaf-modified: `h` is modified in place after"
    assert second == "    `sigmoid` saved it for backward"


@pytest.mark.parametrize(
    ("certainty", "head"),
    [
        (Certainty.CERTAIN, "error[AG101] leaf-modified: no"),
        (Certainty.LIKELY, "error[AG101] leaf-modified (likely): no"),
        (Certainty.POSSIBLE, "error[AG101] leaf-modified (possible): no"),
    ],
)
def test_what_is_not_certain_says_so(certainty: Certainty, head: str) -> None:
    told = replace(finding("x", 1, "x"), certainty=certainty)
    first = next(text.findings([told], lambda _: ["x"]))
    assert "".join(part for part, _ in first) == head
    observed = next(text.findings([told], lambda _: ["x"], observed=True))
    assert "".join(part for part, _ in observed) == "error[AG101] leaf-modified: no"


def test_what_the_real_engine_says_comes_last() -> None:
    error = "RuntimeError: no. Hint: use anomaly mode"
    confirmed = Confirmation("confirmed", "cpu", "2.13.0", error, 13)
    undecided = Confirmation("undecided", reason="no inputs could be made")
    lines = [
        drawn(replace(simple(), confirmation=verdict), TRAIN).splitlines()[-1]
        for verdict in (confirmed, undecided)
    ]
    assert lines == [
        "  = confirmed: torch 2.13.0 on cpu raises at row 13: RuntimeError: no.",
        "  = undecided: no inputs could be made",
    ]


def test_two_places_on_one_line() -> None:
    source = "z = torch.exp(x).add_(y.sigmoid()); q = 3"
    found = finding(source, 1, "add_", other(source, 1, "torch.exp(x)", "saved here"))
    assert excerpt(found, source) == shown("""
      |
    1 | z = torch.exp(x).add_(y.sigmoid()); q = 3
      |     ------------ ^^^^ here
      |     |
      |     saved here
      |
    """)


def test_three_places_on_one_line() -> None:
    source = "a = one(two(three()))"
    related = (other(source, 1, "two", "second"), other(source, 1, "three", "third"))
    assert excerpt(finding(source, 1, "one", *related, label="first"), source) == shown("""
      |
    1 | a = one(two(three()))
      |     ^^^ --- ----- third
      |     |   |
      |     |   second
      |     first
      |
    """)


def test_a_place_inside_another() -> None:
    source = "y.mul_(w.sigmoid())"
    found = finding(source, 1, "y.mul_(w.sigmoid())", other(source, 1, "w.sigmoid()"))
    assert excerpt(found, source) == shown("""
      |
    1 | y.mul_(w.sigmoid())
      | ^^^^^^^^^^^^^^^^^^^
      | |      |
      | |      there
      | here
      |
    """)


def test_two_labels_at_one_place() -> None:
    source = "h += h"
    assert excerpt(finding(source, 1, "h += h", other(source, 1, "h += h")), source) == shown("""
      |
    1 | h += h
      | ^^^^^^
      | |
      | there
      | here
      |
    """)


def test_a_label_that_is_empty_leaves_the_underline() -> None:
    assert excerpt(finding("w += 1", 1, "w", label=""), "w += 1") == shown("""
      |
    1 | w += 1
      | ^
      |
    """)


def test_tabs_and_wide_characters_keep_the_underline_in_its_place() -> None:
    source = '\tt = "日本"; 名前.mul_(2)'
    assert excerpt(finding(source, 1, "名前.mul_(2)"), source) == shown("""
      |
    1 |     t = "日本"; 名前.mul_(2)
      |                 ^^^^^^^^^^^^ here
      |
    """)


def test_combining_characters_take_no_room() -> None:
    source = "e\u0301 = w.mul_(2)"
    assert (
        excerpt(finding(source, 1, "w.mul_(2)"), source).splitlines()[2] == "  |     ^^^^^^^^^ here"
    )


def test_a_long_line_is_cropped_around_its_places() -> None:
    source = "x = " + "a + " * 30 + "w.mul_(2)" + " + b" * 30
    assert excerpt(finding(source, 1, "w.mul_(2)"), source, 44) == shown("""
      |
    1 | …a + a + a + w.mul_(2) + b + b + b + b +…
      |              ^^^^^^^^^ here
      |
    """)


def test_a_long_line_keeps_its_start_where_its_places_are_there() -> None:
    source = "w.mul_(2)" + " + b" * 30
    assert excerpt(finding(source, 1, "w.mul_(2)"), source, 30).splitlines()[1:3] == [
        "1 | w.mul_(2) + b + b + b + b …",
        "  | ^^^^^^^^^ here",
    ]


def test_a_place_over_several_lines_is_underlined_on_its_first() -> None:
    found = replace(finding("f(\n    1,\n)", 1, "f("), place=Place("/project/train.py", 1, 1, 3, 2))
    assert excerpt(found, "f(\n    1,\n)").splitlines()[1:3] == ["1 | f(", "  | ^^ here"]


def test_control_codes_in_a_line_never_reach_the_terminal() -> None:
    assert "\x1b" not in drawn(finding("w = '\x1b[31m'", 1, "w"), "w = '\x1b[31m'")


def test_a_place_in_another_file_has_an_excerpt_of_its_own() -> None:
    elsewhere = Related("saved", "saved here", Place("/project/net.py", 5, 9, 5, 25))
    assert drawn(finding(TRAIN, 7, "h.mul_(2)", elsewhere), TRAIN) == shown("""
    error[AG101] leaf-modified: no
     --> /project/train.py:7:5
      |
    7 |     h.mul_(2)
      |     ^^^^^^^^^ here
      |
     ::: /project/net.py:5:9
      |
    5 |     h = torch.sigmoid(x)
      |         ---------------- saved here
      |
    """)


def test_a_file_that_is_gone_still_has_its_label() -> None:
    assert excerpt(finding(TRAIN, 7, "h.mul_(2)"), "") == "  | row 7: here\n  |"


def test_a_name_with_control_codes_is_escaped() -> None:
    assert text.relative("/a\nb.py") == "/a\\nb.py"


def test_other_programs_are_given_names_with_slashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "PurePath", PureWindowsPath)
    assert text.portable("src\\train.py") == "src/train.py"


def test_a_label_that_does_not_fit_beside_its_mark_stands_below_it() -> None:
    source = "loss = criterion(model(inputs), targets).mean()"
    label = "backward through this loss frees the graph that the next iteration needs again"
    told = finding(source, 1, "criterion(model(inputs), targets).mean()", label=label)
    assert excerpt(told, source, 64) == shown("""
      |
    1 | loss = criterion(model(inputs), targets).mean()
      |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |        backward through this loss frees the graph that the
      |        next iteration needs again
      |
    """)
