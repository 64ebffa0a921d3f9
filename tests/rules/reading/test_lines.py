"""Statements edited as lines."""

from textwrap import dedent

import pytest

from autograd_lint.fixes.editing import Document
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.rules.reading.edits import Edits
from autograd_lint.rules.reading.lines import Lines
from tests.rules.telling import spot


def lines(text: str) -> Lines:
    return Lines(Source("a.py", text))


def at(text: str, snippet: str) -> Place:
    return spot(Source("a.py", text), snippet)


def after(text: str, edits: Edits) -> str:
    assert edits
    return Document(text).edited(edits).text


BLOCK = "def f(x):\n  if x:\n    a()  # why\n    b(\n      1,  # one\n    )\n"


def test_a_line_before_a_statement() -> None:
    changed = after(BLOCK, lines(BLOCK).before(at(BLOCK, "1"), "new()"))
    assert changed == BLOCK.replace("    b(", "    new()\n    b(")


def test_a_line_behind_a_statement_and_its_comment() -> None:
    changed = after(BLOCK, lines(BLOCK).after(at(BLOCK, "a()"), "new()"))
    assert changed == BLOCK.replace("# why\n", "# why\n    new()\n")


def test_a_line_behind_the_last_one_that_has_no_end() -> None:
    assert after("a()", lines("a()").after(at("a()", "a()"), "b()")) == "a()\nb()"


def test_a_block_around_a_statement_of_several_lines() -> None:
    changed = after(BLOCK, lines(BLOCK).under(at(BLOCK, "1"), "with c():"))
    expected = "    with c():\n      b(\n        1,  # one\n      )\n"
    assert changed == BLOCK.replace("    b(\n      1,  # one\n    )\n", expected)


def test_a_statement_joins_the_block_before_it() -> None:
    text = "with c():\n\ta()\nb()\n"
    assert (
        after(text, lines(text).under(at(text, "b()"), "with c():")) == "with c():\n\ta()\n\tb()\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "a(); b()\n",
        "if x: b()\n",
        "b(); a()\n",
        "@b()\ndef f(): ...\n",
        "if x:\n    a()\nelif b():\n    a()\n",
    ],
)
def test_what_shares_its_lines_is_left_alone(text: str) -> None:
    place = at(text, "b()")
    assert lines(text).before(place, "new()") == ()
    assert lines(text).under(place, "with c():") == ()


def test_a_string_of_several_lines_is_not_indented() -> None:
    text = 'b("""\n""")\n'
    assert lines(text).under(at(text, "b("), "with c():") == ()


def test_statements_change_their_order() -> None:
    text = "a()  # first\nb()\nc()\n"
    one, two = at(text, "a()"), at(text, "b()")
    assert after(text, lines(text).moved_after(one, two)) == "b()\na()  # first\nc()\n"
    assert after(text, lines(text).moved_before(two, one)) == "b()\na()  # first\nc()\n"


def test_the_last_statement_moves_without_a_line_end() -> None:
    text = "a()\nb()"
    changed = after(text, lines(text).moved_before(at(text, "b()"), at(text, "a()")))
    assert changed == "b()\na()"


def test_statements_of_different_blocks_stay() -> None:
    text = "a()\nif x:\n    b()\n"
    assert lines(text).moved_after(at(text, "a()"), at(text, "b()")) == ()


def test_functions_around() -> None:
    text = dedent("""
    def f():
        one()
        for x in y:
            two()
    three()
    """)
    one, two, three = (at(text, f"{name}()") for name in ("one", "two", "three"))
    assert lines(text).share_function(one, two)
    assert not lines(text).share_function(one, three)
    assert not lines(text).share_function(one, Place("b.py", 3, 1, 3, 2))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import torch", "torch"),
        ("import os, torch as th", "th"),
        ("import torch.nn", "torch"),
        ("import torch.nn as nn", None),
        ("from torch import nn", None),
    ],
)
def test_the_name_of_torch(text: str, name: str | None) -> None:
    assert lines(text + "\n").torch == name


def test_managers_around_end_at_the_function() -> None:
    text = "with torch.no_grad():\n    a()\n    def f():\n        b()\n"
    assert lines(text).is_under(at(text, "a()"), "no_grad")
    assert not lines(text).is_under(at(text, "b()"), "no_grad")


def test_a_decorator_holds_for_the_whole_function() -> None:
    text = "@torch.no_grad()\ndef f(p):\n    p.add_(1)\n"
    assert lines(text).is_under(at(text, "p.add_(1)"), "no_grad")
