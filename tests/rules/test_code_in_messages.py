"""What a message puts between backticks is code: a name, a call, a statement or a part of one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograd_lint.checking.pipeline import Checker
from autograd_lint.configuration.config import Settings
from autograd_lint.findings import Certainty, Finding
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.rules.registry import all_rules
from tests.rules.examples import code

CASES = Path(__file__).parents[2] / "fixtures" / "cases" / "engine"
# What makes a part of a statement a whole statement.
WHOLE = (
    "{}",
    "{} pass",
    "{}: pass",
    "{} a: pass",
    "{} f(): pass",
    "{}\ndef f(): pass",
    "f({}0)",
    "a {} b",
)
IMPORTED = """
import torch
from nets import Net

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.ones(3, 2):
    net(x).sum().backward()
    optimizer.step()
"""


def test_examples_of_the_rules() -> None:
    for rule in all_rules():
        if rule.kinds:
            assert not list(_prose(code(rule, "Example"))), rule.code


@pytest.mark.parametrize("folder", sorted(CASES.iterdir()), ids=lambda folder: folder.name)
def test_programs_of_all_kinds(folder: Path) -> None:
    found = {path.name: list(_prose(path.read_text())) for path in folder.rglob("*.py")}
    assert {name: prose for name, prose in found.items() if prose} == {}


def test_the_parameters_of_a_class_that_is_not_seen() -> None:
    assert not list(_prose(IMPORTED))


def _prose(text: str) -> Iterator[str]:
    """What the findings in a program put between backticks that is no code."""
    checker = Checker(Settings(certainty=Certainty.POSSIBLE, preview=True), Project.alone())
    findings = checker.source(Source("program.py", text)).findings
    assert text != IMPORTED or findings
    for said in (said for finding in findings for said in _said(finding)):
        yield from (part for part in re.findall(r"`([^`]*)`", said) if not _is_code(part))


def _said(finding: Finding) -> Iterator[str]:
    yield from (finding.message, finding.label, finding.reason, finding.help)
    yield from (one.message for one in finding.related)
    yield from (one.text for one in finding.assumptions)


def _is_code(part: str) -> bool:
    """Whether it can be parsed, is cut short, or is a dotted name (those of parameters have
    numbers)."""
    named = re.fullmatch(r"[\w.]+(\(.*\))?", part)
    return (
        bool(named)
        or "..." in part
        or "…" in part
        or any(_parses(one.format(part)) for one in WHOLE)
    )


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
