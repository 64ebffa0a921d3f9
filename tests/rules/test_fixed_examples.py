"""The example of every rule that offers a fix, fixed: it runs clean on torch, and checks clean."""

import pytest

from autograd_lint.checking.pipeline import check_source
from autograd_lint.configuration.settings import Settings
from autograd_lint.evidence.judging import shown_from
from autograd_lint.findings import Finding
from autograd_lint.fixes.applying import apply
from autograd_lint.levels import Certainty
from autograd_lint.project.source import Source
from autograd_lint.rules.base import Rule
from autograd_lint.rules.registry import all_rules
from tests.rules.examples import code, sections

NAME = "example.py"
FIXABLE = [rule for rule in all_rules() if "no automatic fix" not in sections(rule)["Fix safety"]]


def findings(data: bytes, certainty: Certainty = Certainty.LIKELY) -> list[Finding]:
    return check_source(Source(NAME, data.decode()), Settings(certainty=certainty))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", FIXABLE, ids=lambda rule: rule.code)
def test_the_fixed_example_runs_and_checks_clean(rule: Rule) -> None:
    example = code(rule, "Example").encode()
    found = findings(example, shown_from(rule.code, rule.assumes))
    fixed = apply(example, NAME, found, findings, unsafe=True)
    assert fixed.count
    exec(compile(fixed.data, rule.name, "exec"), {})
    assert findings(fixed.data) == []


@pytest.mark.parametrize("rule", FIXABLE, ids=lambda rule: rule.code)
def test_what_is_used_instead_has_nothing_to_fix(rule: Rule) -> None:
    assert not any(finding.fix for finding in findings(code(rule, "Use instead").encode()))
