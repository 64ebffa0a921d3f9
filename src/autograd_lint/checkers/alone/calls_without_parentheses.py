"""A statement that only names a method of training: `optimizer.step`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.code import spelt
from autograd_lint.project.source import Source

_METHODS = frozenset({"backward", "step", "zero_grad", "train", "eval"})


def judge(source: Source) -> Iterator[Fault]:
    """Statements that look such a method up and do not call it, unless the file has a property of
    that name."""
    alone = (node.value for node in source.each(ast.Expr))
    named = [one for one in alone if isinstance(one, ast.Attribute) and one.attr in _METHODS]
    properties = set(_properties(source)) if named else set()
    for value in named:
        if value.attr not in properties:
            because = Assumption(Kind.IS_METHOD, spelt(value), weight=0)
            yield Fault(
                Pitfall.NOT_CALLED,
                source.place(value),
                operator=value.attr,
                assumptions=frozenset({because}),
            )


def _properties(source: Source) -> Iterator[str]:
    """The methods of the file that an attribute access runs, whatever decorates them."""
    for function in source.each(ast.FunctionDef):
        if function.decorator_list:
            yield function.name
