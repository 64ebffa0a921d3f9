"""Rules are found by themselves, once each, without LibCST."""

import subprocess
import sys
from dataclasses import replace
from itertools import product

import pytest

from autograd_lint.engine.events import Modified, Needed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.places import Place
from autograd_lint.project.reading import parse_error
from autograd_lint.project.source import Source
from autograd_lint.rules.base import Rule
from autograd_lint.rules.registry import (
    all_rules,
    by_code_or_name,
    judge,
    primary_place,
    rule_for,
)

HERE = Place("train.py", 1, 1, 1, 2)


def test_rules_come_by_code() -> None:
    codes = [rule.code for rule in all_rules()]
    assert codes == sorted(set(codes))


def test_names_are_unique() -> None:
    names = [rule.name for rule in all_rules()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_rules_file_has_the_rules_name(rule: Rule) -> None:
    assert type(rule).__module__.rpartition(".")[2] == rule.name.replace("-", "_")


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_rule_is_found_by_code_and_by_name(rule: Rule) -> None:
    assert by_code_or_name(rule.code.lower()) is rule
    assert by_code_or_name(rule.name) is rule


def test_an_unknown_name_finds_nothing() -> None:
    assert by_code_or_name("AG000") is None


@pytest.mark.parametrize("kind", FaultKind, ids=lambda kind: kind.value)
def test_every_fault_has_exactly_one_rule(kind: FaultKind) -> None:
    add, step = Modified(HERE, "add_", "x", 1), Modified(HERE, "SGD", "w", 1, by_optimizer=True)
    writes = (None, add, step, replace(add, bumped=False), replace(step, bumped=False))
    for modified, needed, carried in product(writes, (None, Needed(HERE, "backward")), (0, 1)):
        fault = Fault(kind, HERE, modified=modified, needed=needed, carried=bool(carried))
        assert len([rule for rule in all_rules() if rule.answers(fault)]) == 1


def test_parse_errors_bear_the_code_and_name_of_their_rule() -> None:
    finding = parse_error("train.py", SyntaxError("invalid syntax"))
    rule = by_code_or_name(finding.code)
    assert rule is not None and rule.name == finding.name


def test_no_finding_without_any_place() -> None:
    assert judge(Fault(FaultKind.GRAPH_FREED, None), Source("train.py", "")) is None


def test_the_primary_place_is_that_of_the_finding() -> None:
    fault = Fault(FaultKind.NO_GRAD_ROOT, HERE)
    assert primary_place(fault) == HERE
    assert rule_for(fault) is by_code_or_name("AG301")


def test_finding_the_rules_imports_neither_libcst_nor_torch() -> None:
    program = (
        "import sys; from autograd_lint.rules.registry import all_rules; all_rules();"
        "sys.exit('libcst' in sys.modules or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
