"""Statements that look as if they wrote a tensor or carried one on, and do not: counters and lists
that grow, modules that are cut short, parameters that get their first values."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator

from autograd_lint.facts.body import body, path_of
from autograd_lint.facts.local_stores import is_local
from autograd_lint.facts.plain_values import Scope, is_plain, scopes
from autograd_lint.project.code import called_name
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

# What of `torch.nn.init` draws values or sets them to other numbers than zero. It writes under
# `no_grad`.
_DRAWING = frozenset({"normal_", "uniform_", "trunc_normal_", "orthogonal_", "ones_", "constant_"})
_DRAWING |= {"xavier_normal_", "xavier_uniform_", "kaiming_normal_", "kaiming_uniform_"}
_INITIALIZES = re.compile(r"init|reset|weights")
_Assignment = ast.Assign | ast.AnnAssign
_DISPLAYS = (ast.List, ast.Tuple, ast.ListComp)


@query
def remark_rows(source: Source) -> frozenset[int]:
    """The rows of texts that stand by themselves, as docstrings do."""
    alone = (node for node in source.each(ast.Expr) if isinstance(node.value, ast.Constant))
    return frozenset(row for node in alone for row in range(node.lineno, _last(node) + 1))


@query
def augmented_rows(source: Source) -> frozenset[int]:
    """The rows of `+=` and the like by which a tensor may be written."""
    nodes = (node for node in source.each(ast.AugAssign) if not _counts(source, node))
    return frozenset(row for node in nodes for row in _rows_between(node.target, node.value))


@query
def stored_rows(source: Source) -> frozenset[int]:
    """The rows of stores to elements of what may be a tensor."""
    found = (node for node in source.each(ast.Assign) if _stores(source, node))
    return frozenset(row for node in found for row in range(node.lineno, node.value.lineno + 1))


@query
def renewing_rows(source: Source) -> frozenset[int]:
    """The rows of assignments by which an attribute of an object is computed from what it was; in
    a constructor only where an object is made, which may be a parameter."""
    nodes: list[_Assignment] = [*source.each(ast.Assign), *source.each(ast.AnnAssign)]
    found = (node for node in nodes if _renews(source, node))
    return frozenset(row for node in found for row in range(node.lineno, _last(node) + 1))


@query
def written_rows(source: Source) -> frozenset[int]:
    """The rows on which something is called that by its name works in place, aside from what gives
    parameters their first values."""
    calls = ((call, called_name(call)) for call in source.each(ast.Call))
    found = (call for call, name in calls if name.endswith("_") and not _begins(source, call))
    return frozenset(call.func.end_lineno or call.lineno for call in found)


@query
def beginning_rows(source: Source) -> frozenset[int]:
    """The rows of statements that only load values, or give parameters their first ones."""
    calls = ((one, one.value) for one in source.each(ast.Expr))
    found = (
        one
        for one, call in calls
        if isinstance(call, ast.Call)
        and (called_name(call) == "load_state_dict" or _begins(source, call))
    )
    return frozenset(row for one in found for row in range(one.lineno, _last(one) + 1))


def _counts(source: Source, node: ast.AugAssign) -> bool:
    """Whether `+=` or the like makes a number, a text or a list."""
    if isinstance(node.value, ast.JoinedStr):
        return True
    scope = _scope(source, node)
    if scope is None:
        return False
    if isinstance(node.value, _DISPLAYS):
        return not (_holds_made(node.value) and _is_kept(node.target, scope))
    return is_plain(node.target, scope)


def _holds_made(display: ast.expr) -> bool:
    """Whether objects are made in a list: they may be modules."""
    parts = display.elts if isinstance(display, (ast.List, ast.Tuple)) else [display]
    return not all(isinstance(one, ast.Call) and called_name(one) == "dict" for one in parts)


def _is_kept(target: ast.expr, scope: Scope) -> bool:
    """Whether a list is one of an object: an attribute, or a name that one is bound to."""
    path = path_of(target)
    own = (one for one in body(scope.function).bindings if one.path.startswith("self."))
    return path.startswith("self.") or any(path_of(one.value) == path for one in own)


def _stores(source: Source, node: ast.Assign) -> bool:
    """Whether an assignment stores to an element of something that may be a tensor."""
    if any(isinstance(one, (ast.Tuple, ast.List)) for one in node.targets):
        return True
    if isinstance(node.value, (ast.Dict, ast.DictComp)) or _is_empty_list(node.value):
        return False
    scope = _scope(source, node)
    stores = (one for one in node.targets if isinstance(one, ast.Subscript))
    return any(
        scope is None or not (is_plain(one.value, scope) or is_local(one, node.value, scope))
        for one in stores
    )


def _is_empty_list(value: ast.expr) -> bool:
    return isinstance(value, ast.List) and not value.elts


def _renews(source: Source, node: _Assignment) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = {name for target in targets for name in _own_names(target)}
    if not names or node.value is None or _is_slice_of_own(node.value):
        return False
    scope = _scope(source, node)
    if scope is not None and scope.function.name == "__init__" and not _makes_object(node.value):
        return False
    return not names.isdisjoint(_own_names(node.value))


def _makes_object(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and called_name(value)[:1].isupper()


def _own_names(node: ast.AST) -> Iterator[str]:
    """The attributes of `self` that an expression names."""
    for part in walk(node):
        if isinstance(part, ast.Attribute) and path_of(part.value) == "self":
            yield part.attr


def _is_slice_of_own(value: ast.expr) -> bool:
    """Whether a value is the first elements of an attribute: `self.blocks[:depth]`. What is kept of
    a state is the last ones."""
    if not (isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice)):
        return False
    return value.slice.lower is None and path_of(value.value).startswith("self.")


def _begins(source: Source, call: ast.Call) -> bool:
    """Whether a call gives a parameter its first values, or a bias zeros."""
    owner = path_of(call.func.value) if isinstance(call.func, ast.Attribute) else "init"
    if owner.rpartition(".")[2] != "init":
        return False
    scope = _scope(source, call)
    if scope is None or not _INITIALIZES.search(scope.function.name):
        return False
    return called_name(call) in _DRAWING or (called_name(call) == "zeros_" and _is_of_bias(call))


def _is_of_bias(call: ast.Call) -> bool:
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Attribute) and first.attr == "data":
        first = first.value
    return isinstance(first, ast.Attribute) and first.attr == "bias"


def _scope(source: Source, node: ast.stmt | ast.expr) -> Scope | None:
    """The function or method in which a node stands, the outermost one."""
    known = _scopes(source)
    at = bisect_right(known, node.lineno, key=lambda scope: scope.function.lineno) - 1
    found = known[at] if at >= 0 else None
    return found if found is not None and node.lineno <= _last(found.function) else None


@query
def _scopes(source: Source) -> list[Scope]:
    return list(scopes(source.tree.body))


def _rows_between(first: ast.expr, last: ast.expr) -> range:
    return range(first.end_lineno or first.lineno, last.lineno + 1)


def _last(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
