"""Conditions after which a function refuses to go on: not at once, but further on.

for _ in range(10):
    drawn = draw()
    if not drawn.isnan().any():      # taken, in one of the rounds
        return drawn
raise ValueError("only NaN")

unknown = []
for name in names:
    if name not in table:            # not taken: what is noted is refused
        unknown.append(name)
if unknown:
    raise KeyError(unknown)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from autograd_lint.project.nodes import raises, statements
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_ADDING = frozenset({"append", "add", "extend"})


@query
def sides_without_refusal(source: Source, function: ast.AST) -> dict[ast.AST, bool]:
    """The conditions of a function of which one side leads to a `raise` further on, each with its
    other side."""
    text = source.segment(function)
    if not ("raise" in text or "assert" in text):
        return {}
    nodes = list(statements(function))
    refused = {name for one in nodes if isinstance(one, ast.If) for name in _refused(one)}
    noting = (one for one in nodes if isinstance(one, ast.If) and _only_notes(one, refused))
    return {**dict.fromkeys(_leaving(nodes), True), **dict.fromkeys(noting, False)}


def _leaving(nodes: list[ast.stmt]) -> Iterator[ast.If]:
    """The conditions on which a loop is left that is followed by a `raise`."""
    for node in nodes:
        body = getattr(node, "body", None)
        for loop, after in pairwise(body) if isinstance(body, list) else ():
            if isinstance(loop, _LOOPS) and raises(after):
                yield from _left_by(loop, (ast.Return,))
        if isinstance(node, _LOOPS) and node.orelse and raises(node.orelse[-1]):
            yield from _left_by(node, (ast.Return, ast.Break))


def _left_by(loop: ast.For | ast.AsyncFor | ast.While, kinds: tuple[type, ...]) -> Iterator[ast.If]:
    for one in loop.body:
        if isinstance(one, ast.If) and isinstance(one.body[-1], kinds):
            yield one


def _refused(node: ast.If) -> Iterator[str]:
    """The name of which a function refuses that anything is in it: `if name: raise`."""
    if raises(node.body[-1]) and isinstance(node.test, ast.Name):
        yield node.test.id


def _only_notes(node: ast.If, names: set[str]) -> bool:
    """Whether an `if` does no more than to add to something of such a name."""
    return not node.orelse and all(_added_to(one) in names for one in node.body)


def _added_to(node: ast.stmt) -> str | None:
    """The name of that to which a statement adds, and does nothing else."""
    call = node.value if isinstance(node, ast.Expr) else None
    method = call.func if isinstance(call, ast.Call) else None
    adds = isinstance(method, ast.Attribute) and method.attr in _ADDING
    owner = method.value if adds and isinstance(method, ast.Attribute) else None
    return owner.id if isinstance(owner, ast.Name) else None
