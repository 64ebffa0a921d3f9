"""The examples on the rules' pages do on the real engine what the pages say."""

import ast

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.messages import classify
from autograd_lint.rules.base import Rule
from autograd_lint.rules.registry import all_rules
from tests.rules.examples import code

SILENT = [
    rule
    for rule in all_rules()
    if rule.name == "hidden-modification" or any(isinstance(kind, Pitfall) for kind in rule.kinds)
]
RAISING = [rule for rule in all_rules() if rule.kinds and rule not in SILENT]


@pytest.mark.parametrize("rule", RAISING, ids=lambda rule: rule.code)
def test_example_raises_what_the_rule_is_about(rule: Rule) -> None:
    with pytest.raises(Exception) as caught:
        exec(compile(code(rule, "Example"), rule.name, "exec"), {})
    assert classify(caught.value) in rule.kinds


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_what_to_use_instead_runs_clean(rule: Rule) -> None:
    exec(compile(code(rule, "Use instead"), rule.name, "exec"), {})


def test_the_example_of_a_parse_error_cannot_be_parsed() -> None:
    (rule,) = (rule for rule in all_rules() if rule.name == "parse-error")
    with pytest.raises(SyntaxError):
        ast.parse(code(rule, "Example"))


def asserted(rule: Rule, heading: str) -> list[str]:
    """What the python block under a heading asserts."""
    tree = ast.parse(code(rule, heading))
    return [ast.unparse(node.test) for node in ast.walk(tree) if isinstance(node, ast.Assert)]


@pytest.mark.parametrize("rule", SILENT, ids=lambda rule: rule.code)
def test_what_fails_in_the_example_of_a_pitfall_holds_in_its_correction(rule: Rule) -> None:
    (damage,) = asserted(rule, "Example")
    assert asserted(rule, "Use instead") == [damage]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", SILENT, ids=lambda rule: rule.code)
def test_the_example_of_a_pitfall_fails_by_its_own_assertion_alone(rule: Rule) -> None:
    with pytest.raises(AssertionError):
        exec(compile(code(rule, "Example"), rule.name, "exec"), {})
