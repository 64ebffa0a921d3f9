"""What the program calls the tensor that an instruction writes or computes with."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import torch

from autograd_lint.live.source import tree_of
from autograd_lint.places import Place

if TYPE_CHECKING:  # sites are named by what stands at a place
    from autograd_lint.live.sites import Site


def name_at(site: Site | None) -> str | None:
    """The tensor that is written at a site (`x` in `x += 1`, `x.add_(1)`, `x[0] = 1`, `relu_(x)`).

    None where an optimizer steps, which writes to what is not named there.
    """
    if site is None or site.optimizer is not None:
        return None
    return _name_at(site.place)


def receiver_at(site: Site | None) -> str | None:
    """The expression whose method is called at a site (`scaler` in `scaler.step(optimizer)`)."""
    call = call_at(site.place) if site is not None else None
    return _plain(call.func.value) if call and isinstance(call.func, ast.Attribute) else None


@lru_cache(maxsize=256)
def _name_at(place: Place) -> str | None:
    node = statement_at(place)
    if isinstance(node, ast.AugAssign):
        return _plain(node.target)
    call = _call(node, place) if node is not None else None
    if call is not None:
        return _named_by(call, place.filename)
    read = _attribute(node, place) if node is not None else None
    if read is not None:
        return _plain(read.value)
    if isinstance(node, ast.Assign):
        targets = [target for target in node.targets if isinstance(target, ast.Subscript)]
        return _plain(targets[0]) if targets else None
    return None


def _named_by(call: ast.Call, filename: str) -> str | None:
    """The tensor of a method of tensors; of another call what it writes to by `out=`, or the first
    of its arguments."""
    out = next((one.value for one in call.keywords if one.arg == "out"), None)
    if out is not None:
        return _plain(out)
    function = call.func
    if isinstance(function, ast.Attribute) and _is_tensors(function, filename):
        return _plain(function.value)
    is_alone = len(call.args) == 1 or _is_imported(function, filename)
    return _plain(call.args[0]) if call.args and is_alone else None


def _is_tensors(method: ast.Attribute, filename: str) -> bool:
    """Whether a name after a dot is that of a method of tensors, and not of a module of Python's
    or a layer (`self.relu`)."""
    if not hasattr(torch.Tensor, method.attr) or _is_imported(method, filename):
        return False
    is_self = isinstance(method.value, ast.Name) and method.value.id == "self"
    return not is_self or method.attr.endswith("_")


def _is_imported(function: ast.expr, filename: str) -> bool:
    """Whether an expression is a name that an import has bound, or a part of one."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name) and function.id in _imported(filename)


@lru_cache(maxsize=64)
def _imported(filename: str) -> frozenset[str]:
    tree = tree_of(filename)
    nodes = ast.walk(tree) if tree else ()
    imports = (one for one in nodes if isinstance(one, (ast.Import, ast.ImportFrom)))
    names = (name for one in imports for name in one.names)
    return frozenset(one.asname or one.name.partition(".")[0] for one in names)


def _plain(node: ast.expr) -> str | None:
    """A name or attribute as text; a subscript counts as what it is a part of, but for an entry
    of a dictionary."""
    while isinstance(node, ast.Subscript) and not _is_key(node.slice):
        node = node.value
    if isinstance(node, ast.Subscript):
        return f"{ast.unparse(node.value)}[{json.dumps(ast.literal_eval(node.slice))}]"
    if isinstance(node, (ast.Name, ast.Attribute)):
        return ast.unparse(node)
    return None


def _is_key(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def statement_at(place: Place) -> ast.stmt | None:
    """The innermost statement around the row of a place, the last of several in that row."""
    tree, row = tree_of(place.filename), place.row
    around = [*_below(tree)] if tree is not None else []
    found = None
    while around:
        covering = [one for one in around if one.lineno <= row <= (one.end_lineno or 0)]
        found = covering[-1] if covering else found
        around = [*_below(covering[-1])] if covering else []
    return found


def _below(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements that stand directly in another one, or in its handlers and cases."""
    for name in ("body", "orelse", "finalbody"):
        yield from getattr(node, name, ())
    for name in ("handlers", "cases"):
        for block in getattr(node, name, ()):
            yield from block.body


def call_at(place: Place) -> ast.Call | None:
    """The call that stands at a place."""
    tree = tree_of(place.filename)
    return _call(tree, place) if tree is not None else None


def _call(around: ast.AST, place: Place) -> ast.Call | None:
    for node in ast.walk(around):
        if not isinstance(node, ast.Call) or node.lineno != place.row:
            continue
        if (node.col_offset, node.end_col_offset) == (place.column - 1, place.end_column - 1):
            return node
    return None


def _attribute(statement: ast.stmt, place: Place) -> ast.Attribute | None:
    """The attribute that is being read at a place."""
    for node in ast.walk(statement):
        if not isinstance(node, ast.Attribute) or node.end_lineno != place.end_row:
            continue
        if (node.col_offset, node.end_col_offset) == (place.column - 1, place.end_column - 1):
            return node
    return None
