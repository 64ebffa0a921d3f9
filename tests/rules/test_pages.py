"""Every rule has a whole page, and the pages in `docs/` are the rules' own."""

from pathlib import Path

import pytest

from autograd_lint.rules.base import Rule
from autograd_lint.rules.pages import PRACTICE, VARIANTS, main, pages
from autograd_lint.rules.registry import all_rules
from tests.rules.examples import HEADINGS, sections

DOCS = Path(__file__).parents[2] / "docs" / "rules"


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_page_has_all_headings_in_order(rule: Rule) -> None:
    assert tuple(sections(rule)) == HEADINGS


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_no_section_is_empty(rule: Rule) -> None:
    assert all(sections(rule).values())


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_summary_is_one_sentence(rule: Rule) -> None:
    assert rule.summary().endswith(".")
    assert len(rule.summary()) < 100


def test_documentation_is_fresh() -> None:
    """Stale? Run `python -m autograd_lint.rules.pages docs/rules`."""
    written = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    for elsewhere in (VARIANTS, PRACTICE):
        written.pop(elsewhere)
    assert written == pages()


def test_writing_removes_pages_of_rules_that_are_no_more(tmp_path: Path) -> None:
    (tmp_path / "forgotten.md").write_text("old")
    main(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(pages())


def test_a_page_says_which_side_of_an_example_fails() -> None:
    text = pages()["gradient-cut.md"]
    example, instead = text.split("## Use instead")
    assert example.rstrip().endswith("```\n\nThe assertion fails.")
    assert "```\n\nThe assertion holds." in instead


def test_a_page_says_how_often_the_rule_was_right() -> None:
    assert "## Reviewed precision\n\nFindings in public code" in pages()["graph-kept.md"]
