"""The statements of a file that write or walk."""

from autograd_lint.facts.suspect_statements import suspect_statements
from autograd_lint.project.source import Source

TEXT = '''\
import torch


class A:
    """x.add_(1) is not a statement."""

    def f(self, x):
        if x is None:
            return
        with torch.no_grad():
            x.add_(1)
        try:
            x.sum().backward()
        except RuntimeError:
            x.mul_(
                2
            )
'''


def test_statements_with_what_stands_around_them() -> None:
    found = suspect_statements(Source("a.py", TEXT))
    assert [(list(one.rows), one.name) for one in found] == [
        ([11], "A.f"),
        ([13], "A.f"),
        ([15, 16, 17], "A.f"),
    ]


def test_the_conditions_around_a_statement_are_those_of_its_function() -> None:
    text = "if a:\n    def f(x):\n        if x:\n            x.add_(1)\n"
    (found,) = suspect_statements(Source("a.py", text))
    assert [branch.lineno for branch in found.branches] == [3]
