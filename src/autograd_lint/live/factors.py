"""Numbers that were read from a tensor, and are added to another one as a part of a product.

score = loss_of(judge(fake), ones).item()
loss = error + 10.0 * score                  # a number that nothing else is known of
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from autograd_lint.live.memory import Origin
from autograd_lint.live.numbers import Numbers
from autograd_lint.live.running_frames import frame_of
from autograd_lint.live.sites import Site
from autograd_lint.live.source import tree_of

_MOST = 256  # places whose text is remembered


def factor_at(site: Site, numbers: Numbers) -> Origin | None:
    """Where a number was read that has a part in the sum at a place of a running function."""
    names = _names_at(site)
    frame = frame_of(site) if names else None
    values = frame.f_locals if frame is not None else {}
    found = (values.get(name) for name in names)
    read = (numbers.exactly(value) for value in found if type(value) is float)
    return next((one for one in read if one is not None), None)


@lru_cache(maxsize=_MOST)
def _names_at(site: Site) -> tuple[str, ...]:
    """The names of the products that are added up at a place."""
    place, tree = site.place, tree_of(site.filename)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, (ast.BinOp, ast.AugAssign)) or node.lineno != place.row:
            continue
        is_there = (node.col_offset, node.end_col_offset) == (
            place.column - 1,
            place.end_column - 1,
        )
        if is_there and isinstance(node.op, (ast.Add, ast.Sub)):
            parts = [node.value] if isinstance(node, ast.AugAssign) else [node.left, node.right]
            return tuple(name for part in parts for name in _factors(part))
    return ()


def _factors(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        for part in (node.left, node.right):
            yield from [part.id] if isinstance(part, ast.Name) else _factors(part)
