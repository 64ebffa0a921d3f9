"""What the program calls the tensor that an instruction writes or calls a method of."""

import ast
import linecache
from functools import lru_cache

from autograd_lint.live.sites import Site
from autograd_lint.places import Place


def name_at(site: Site | None) -> str | None:
    """The expression that is written at a site (`x` in `x += 1`, `x.add_(1)`, `x[0] = 1`)."""
    if site is None:
        return None
    return _name_at(site.place)


@lru_cache(maxsize=256)
def _name_at(place: Place) -> str | None:
    node = _statement(place)
    if isinstance(node, ast.AugAssign):
        return _plain(node.target)
    call = _call(node, place) if node is not None else None
    if call is not None and isinstance(call.func, ast.Attribute):
        return _plain(call.func.value)
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


def _statement(place: Place) -> ast.stmt | None:
    try:
        tree = ast.parse("".join(linecache.getlines(place.filename)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= place.row <= (node.end_lineno or 0):
            found = node  # a walk meets outer statements first
    return found


def _call(statement: ast.stmt, place: Place) -> ast.Call | None:
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call) or node.lineno != place.row:
            continue
        if (node.col_offset, node.end_col_offset) == (place.column - 1, place.end_column - 1):
            return node
    return None
