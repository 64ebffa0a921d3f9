"""Conditions that decide what a statement behind writes in place."""

import ast

import pytest

from autograd_lint.facts.deciding_branches import deciding_branches
from autograd_lint.project.source import Source

PROGRAM = """
def f(x, a):
    y = x.detach()
    {branch}
    {write}
    return y
"""


def rows(branch: str, write: str) -> list[tuple[int, int]]:
    """The rows of the conditions, each with that of the statement that writes."""
    source = Source("a.py", PROGRAM.format(branch=branch, write=write))
    function = source.tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    return [(one.lineno, two.lineno) for one, two in deciding_branches(source, function)]


@pytest.mark.parametrize("write", ["y += x", "y[0] = x", "y.mul_(x)", "y[0].mul_(x)"])
@pytest.mark.parametrize(
    "branch", ["if a: y = x.max()", "if a: y, _ = x.max(0)", "y = x.max() if a else y"]
)
def test_a_condition_that_binds_what_is_written_decides(branch: str, write: str) -> None:
    assert rows(branch, write) == [(4, 5)]


@pytest.mark.parametrize(
    ("branch", "write"),
    [
        ("if a: z = x.max()", "y += x"),
        ("if a: y = x.max()", "y = y + x"),
        ("y += x", "if a: y = x.max()"),
        ("pass", "if a: y += x"),
    ],
)
def test_other_conditions_do_not(branch: str, write: str) -> None:
    assert rows(branch, write) == []
