"""Objects whose constructor was not followed to its end."""

from __future__ import annotations

import ast
from collections import Counter

from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.values import Function, Instance, Unknown, Value


def made_in_part(receiver: Value) -> None:
    """An object has more than is known."""
    if isinstance(receiver, Instance):
        receiver.unknown = Unknown("a module", "module")


def left_early(receiver: Value, constructor: Function) -> None:
    """An object has more than is known, and what its constructor sets several times may be another
    value by now."""
    made_in_part(receiver)
    if not isinstance(receiver, Instance):
        return
    receiver.partial = True
    for name in constructor.query(_set_again).intersection(receiver.attributes):
        receiver.attributes[name] = Unknown(f"self.{name}")


@query
def _set_again(_: Source, constructor: ast.AST) -> frozenset[str]:
    """The attributes of its object that a constructor sets more than once."""
    stored = Counter(
        node.attr
        for node in walk(constructor)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )
    return frozenset(name for name, times in stored.items() if times > 1)
