"""The statements on which a fault may arise."""

import ast

from autograd_lint.facts.goal_statements import goal_statements
from autograd_lint.project.source import Source

TEXT = """\
def bump(h, name, owner):
    g = h + 1
    h.add_(1)
    owner.register_buffer(name, h)
    owner.register_buffer("name", g)

def use(h):
    f = lambda x: x + 1
    if h is not None:
        bump(h)
    return h
"""


def _rows(position: int) -> list[int]:
    source = Source("a.py", TEXT)
    return sorted(one.lineno for one in goal_statements(source, source.tree.body[position]))


def test_what_writes_or_keeps_under_a_computed_name() -> None:
    assert _rows(0) == [3, 4]


def test_what_calls_a_function_that_does() -> None:
    assert _rows(1) == [10]


def test_a_lambda_has_no_statements() -> None:
    source = Source("a.py", TEXT)
    (node,) = (one for one in ast.walk(source.tree) if isinstance(one, ast.Lambda))
    assert goal_statements(source, node) == frozenset()
