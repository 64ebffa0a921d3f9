"""The example of each rule's page is reported under exactly its code, the counterpart is not."""

import pytest

from autograd_lint.checking.pipeline import check_source
from autograd_lint.configuration.selection import Selection
from autograd_lint.configuration.settings import Settings
from autograd_lint.evidence.judging import shown_from
from autograd_lint.levels import Certainty
from autograd_lint.project.source import Source
from autograd_lint.rules.base import Rule
from autograd_lint.rules.registry import all_rules
from tests.rules.examples import code


def reported(text: str, *switched_on: str, certainty: Certainty = Certainty.LIKELY) -> list[str]:
    settings = Settings(certainty=certainty, selection=Selection(extend_select=switched_on))
    return [finding.code for finding in check_source(Source("example.py", text), settings)]


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_the_example_is_reported_under_its_code(rule: Rule) -> None:
    least = shown_from(rule.code, rule.assumes)
    assert reported(code(rule, "Example"), rule.code, certainty=least) == [rule.code]


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_what_to_use_instead_is_not_reported(rule: Rule) -> None:
    assert reported(code(rule, "Use instead"), rule.code) == []


@pytest.mark.parametrize(
    "rule", [rule for rule in all_rules() if not rule.on_by_default], ids=lambda rule: rule.code
)
def test_a_rule_that_is_off_by_default_says_nothing(rule: Rule) -> None:
    assert reported(code(rule, "Example")) == []
