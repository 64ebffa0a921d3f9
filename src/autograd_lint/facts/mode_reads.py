"""Where the code of a class of modules goes by the mode that an object is in.

def forward(self, x):
    x = F.dropout(self.layer(x), self.rate, training=self.training)
    return x if self.training else x.softmax(-1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

MODE = "training"


@query
def mode_reads(_: Source, node: ast.AST) -> tuple[frozenset[str], ...]:
    """For each place at which a method reads `self.training`: the other attributes of the object
    in the same call or condition.

    One of them that is zero may switch off what depends on the mode.
    """
    return tuple(_own(around) - {MODE} for around in walk(node) if MODE in _own(around))


def _own(around: ast.AST) -> frozenset[str]:
    """The attributes of the object that a call is given, or that a condition or a binding reads."""
    return frozenset(
        one.attr
        for part in _parts(around)
        for one in walk(part)
        if isinstance(one, ast.Attribute) and code_of(one.value) == "self"
    )


def _parts(around: ast.AST) -> Iterator[ast.expr]:
    if isinstance(around, ast.Call):
        given = [*around.args, *(one.value for one in around.keywords)]
        yield from (one for one in given if not isinstance(one, ast.Call))
    elif isinstance(around, (ast.If, ast.IfExp)):
        yield around.test
    elif isinstance(around, (ast.Assign, ast.Return)) and isinstance(around.value, ast.Attribute):
        yield around.value
