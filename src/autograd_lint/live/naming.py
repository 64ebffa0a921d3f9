"""What the program calls the tensor that an instruction writes or calls a method of."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from autograd_lint.live.source import tree_of
from autograd_lint.places import Place

if TYPE_CHECKING:  # sites are named by what stands at a place
    from autograd_lint.live.sites import Site


def name_at(site: Site | None) -> str | None:
    """The expression that is written at a site (`x` in `x += 1`, `x.add_(1)`, `x[0] = 1`).

    None where an optimizer steps, which writes to what is not named there.
    """
    if site is None or site.optimizer is not None:
        return None
    return _name_at(site.place)


@lru_cache(maxsize=256)
def _name_at(place: Place) -> str | None:
    node = statement_at(place)
    if isinstance(node, ast.AugAssign):
        return _plain(node.target)
    call = _call(node, place) if node is not None else None
    if call is not None and isinstance(call.func, ast.Attribute):
        return _plain(call.func.value)
    read = _attribute(node, place) if node is not None else None
    if read is not None:
        return _plain(read.value)
    if isinstance(node, ast.Assign):
        targets = [target for target in node.targets if isinstance(target, ast.Subscript)]
        return _plain(targets[0]) if targets else None
    return None


def _plain(node: ast.expr) -> str | None:
    """A name or attribute as text; a subscript counts as what it is a part of."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, (ast.Name, ast.Attribute)):
        return ast.unparse(node)
    return None


def statement_at(place: Place) -> ast.stmt | None:
    """The innermost statement around the row of a place."""
    tree = tree_of(place.filename)
    found = None
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.stmt) and node.lineno <= place.row <= (node.end_lineno or 0):
            found = node  # a walk meets outer statements first
    return found


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
