"""Finding the line of a write that nothing but the source shows."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from autograd_lint.live.sites import Site
from autograd_lint.live.source import tree_of


def write_between(first: Site | None, last: Site | None) -> Site | None:
    """The site of the first statement after `first` and before `last` that writes elements.

    `first` itself where there is none, or where the two are not in one function.
    """
    if first is None or last is None or first.code is not last.code:
        return first
    low, high = first.place.row, last.place.row
    for row in _writing_rows(first.filename, low, high):
        site = _site_at(first, row)
        if site is not None:
            return site
    return first


def _writing_rows(filename: str, low: int, high: int) -> Iterator[int]:
    tree = tree_of(filename)
    statements = (node for node in (ast.walk(tree) if tree else ()) if isinstance(node, ast.stmt))
    rows = [node.lineno for node in statements if low < node.lineno < high and _writes(node)]
    yield from sorted(rows)


def _writes(node: ast.AST) -> bool:
    if isinstance(node, ast.AugAssign):
        return True
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Subscript) for target in node.targets)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _site_at(site: Site, row: int) -> Site | None:
    """An instruction of the same function at `row`: the last one, which does the writing."""
    offsets = [start for start, _, line in site.code.co_lines() if line == row]
    return replace(site, instruction=offsets[-1]) if offsets else None
