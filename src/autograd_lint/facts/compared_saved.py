"""Saved tensors that the `backward` of a custom Function only compares: a derivative of what it
gives by them is zero."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.facts.unread_gradients import asked_for_form
from autograd_lint.project.nodes import walk

_IN_JUMPS = frozenset({"eq", "ge", "gt", "le", "lt", "ne", "sgn", "sign"})


def is_only_compared(backward: ast.AST, index: int) -> bool:
    """Whether a backward reads the saved tensor of this index, and only in comparisons or for its
    form; False where it is not seen by which name it does."""
    names = {*_names(backward, index)}
    harmless = {id(one) for node in walk(backward) for one in _harmless(node)}
    loads = (one for one in walk(backward) if isinstance(one, ast.Name) and one.id in names)
    read = [one for one in loads if isinstance(one.ctx, ast.Load)]
    return bool(read) and all(id(one) in harmless for one in read)


def _names(backward: ast.AST, index: int) -> Iterator[str]:
    """The names that `backward` gives the saved tensor of this index."""
    for assign in walk(backward):
        if not isinstance(assign, ast.Assign):
            continue
        target, value = assign.targets[0], assign.value
        if isinstance(value, ast.Subscript) and _is_all(value.value):
            at = value.slice.value if isinstance(value.slice, ast.Constant) else None
            named = target if at == index else None
        elif isinstance(target, (ast.Tuple, ast.List)) and _is_all(value):
            is_plain = not any(isinstance(one, ast.Starred) for one in target.elts)
            named = target.elts[index] if is_plain and index < len(target.elts) else None
        else:
            continue
        if isinstance(named, ast.Name):
            yield named.id


def _is_all(value: ast.expr) -> bool:
    return isinstance(value, ast.Attribute) and value.attr in ("saved_tensors", "saved_variables")


def _harmless(node: ast.AST) -> Iterator[ast.AST]:
    """What a comparison compares, and what is asked for its form alone."""
    called = node.func if isinstance(node, ast.Call) else None
    name = getattr(called, "attr", getattr(called, "id", ""))
    if isinstance(node, ast.Compare) or name in _IN_JUMPS:
        yield from walk(node)
    if isinstance(node, ast.Call) and name == "zeros_like":
        yield from node.args[:1]
    yield from asked_for_form(node)
