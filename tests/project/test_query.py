"""Questions that are answered once for each subject."""

import ast

from autograd_lint.project.query import query
from autograd_lint.project.renewing import renewed
from autograd_lint.project.source import Source

asked: list[object] = []


@query
def _names(source: Source, node: ast.AST) -> int:
    asked.append(node)
    return len(source.segment(node))


@query
def _rows(source: Source) -> int:
    asked.append(source)
    return len(source.lines)


def test_a_question_about_a_node_is_answered_once() -> None:
    asked.clear()
    source = Source("a.py", "x = 1\ny = 22\n")
    first, second = source.tree.body
    assert [_names(source, one) for one in (first, second, first)] == [5, 6, 5]
    assert asked == [first, second]


def test_an_edit_leaves_the_answers_about_statements_that_stay() -> None:
    before = Source("a.py", "x = 1\ny = 22\nz = 3\n")
    first = before.tree.body[0]
    _names(before, first), _rows(before)
    asked.clear()
    after = renewed(before, "x = 1\ny = 22\nz = 4\n")
    assert after.tree.body[0] is first
    assert _names(after, first) == 5
    assert asked == []
    assert _rows(after) == 4
    assert asked == [after]
