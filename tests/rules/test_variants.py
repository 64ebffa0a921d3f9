"""Every variant of what a rule is about goes wrong on the real engine, is told at its cause, and
its correct twin is quiet."""

from pathlib import Path

import pytest
from benchmarks.variants import Variant, findings, run, table, told, variants

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.messages import classify

VARIANTS = variants()
TABLE = Path(__file__).parents[2] / "docs" / "rules" / "variants.md"


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_wrong_program_fails_as_its_rule_says(variant: Variant) -> None:
    error = run(variant.bad)
    silent = any(isinstance(kind, Pitfall) for kind in variant.rule.kinds)
    if silent or variant.rule.name == "hidden-modification":
        assert isinstance(error, AssertionError)
    else:
        assert error is not None
        assert classify(error) in variant.rule.kinds


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_correct_program_runs_on_the_real_engine(variant: Variant) -> None:
    assert run(variant.good) is None


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_wrong_program_is_told_at_its_cause(variant: Variant) -> None:
    assert told(variant)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_correct_program_is_quiet(variant: Variant) -> None:
    assert findings(variant.good) == []


def test_each_variant_has_a_name_of_its_own() -> None:
    assert len({str(one) for one in VARIANTS}) == len(VARIANTS)


def test_the_table_is_fresh() -> None:
    """Stale? Run `python -m benchmarks.variants docs/rules/variants.md`."""
    assert TABLE.read_text(encoding="utf-8") == table()
