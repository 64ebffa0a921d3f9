"""The fixes that were read are complete, and name rules and variants that there are."""

from dataclasses import replace
from pathlib import Path

from benchmarks.practice import FAMILIES, LEAST, cases, page, problems
from benchmarks.variants import variants

from autograd_lint.rules.registry import all_rules

PAGE = Path(__file__).parents[2] / "docs" / "rules" / "practice.md"


def test_each_family_is_complete_and_each_name_is_known() -> None:
    assert problems(cases(), variants(), all_rules()) == []


def test_a_family_with_few_repositories_is_a_problem() -> None:
    few = [one for one in cases() if one.family == FAMILIES[0]][: LEAST - 1]
    others = [one for one in cases() if one.family != FAMILIES[0]]
    assert problems([*few, *others], variants(), all_rules()) == [f"{FAMILIES[0]}: 9 repositories"]


def test_a_variant_that_there_is_not_is_a_problem() -> None:
    first, *rest = cases()
    changed = replace(first, variant="no such form")
    (problem,) = problems([changed, *rest], variants(), all_rules())
    assert problem.endswith("no variant no such form")


def test_a_rule_that_there_is_not_is_a_problem() -> None:
    first, *rest = cases()
    changed = replace(first, rule="AG000", variant=None)
    (problem,) = problems([changed, *rest], variants(), all_rules())
    assert problem.endswith("no rule AG000")


def test_no_thread_is_counted_twice() -> None:
    threads = [(one.repository, one.thread) for one in cases()]
    assert len(set(threads)) == len(threads)


def test_the_page_is_fresh() -> None:
    """Stale? Run `python -m benchmarks.practice docs/rules/practice.md`."""
    assert PAGE.read_text(encoding="utf-8") == page(cases(), all_rules()) + "\n"
