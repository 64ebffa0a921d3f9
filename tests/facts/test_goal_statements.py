"""The statements on which a fault may arise."""

import ast

from autograd_lint.facts.goal_statements import asked_before, goal_statements
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


def test_a_function_that_makes_no_graph_has_none() -> None:
    source = Source("a.py", "@torch.no_grad()\ndef load(w, x):\n    w.copy_(x)\n")
    assert goal_statements(source, source.tree.body[0]) == frozenset()


def test_a_function_that_sets_initial_values_has_only_what_keeps() -> None:
    text = "def init_weights(w, name):\n    w.mul_(2)\n    w.register_buffer(name, w)\n"
    source = Source("a.py", text)
    (kept,) = goal_statements(source, source.tree.body[0])
    assert kept.lineno == 3


def test_a_call_of_what_sets_initial_values_is_none() -> None:
    text = "def reset(w):\n    w.mul_(2)\n\ndef use(w):\n    reset(w)\n"
    source = Source("a.py", text)
    assert goal_statements(source, source.tree.body[1]) == frozenset()


def test_the_words_of_conditions_are_known_by_their_rows() -> None:
    text = "def use(w, still):\n    if self.quick is not None:\n        return w if still else 1\n"
    source = Source("a.py", text)
    words = dict(asked_before(source, source.tree.body[0]))
    assert words[2] == {"quick"}
    assert "still" in words[3]


def test_what_calls_one_that_keeps_under_a_computed_name() -> None:
    text = (
        "def keep(owner, name, h):\n    owner.register_buffer(name, h)\n"
        "def update(owner, h):\n    keep(owner, 'mean', h)\n"
        "def use(owner, h):\n    update(owner, h)\n    return h\n"
    )
    source = Source("a.py", text)
    found = [goal_statements(source, node) for node in source.tree.body]
    assert [sorted(one.lineno for one in rows) for rows in found] == [[2], [4], [6]]
