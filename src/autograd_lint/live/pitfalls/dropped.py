"""Statements that change, or flag, a copy which nobody has afterwards.

weight.grad[rows].zero_()                    # indexing by a tensor gives a copy
weight.data[mask].requires_grad = False      # and any of it is another tensor than `weight`
p.data.clamp(-1, 1)                          # gives a new one
"""

from __future__ import annotations

import ast

import torch

from autograd_lint.engine.pitfalls import PICKED, Pitfall
from autograd_lint.live.failure import maker_of
from autograd_lint.live.naming import statement_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.statements import has_twin
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site
from autograd_lint.live.source import place_in

_MOST = 1_024  # places that are looked at


class Dropped(Family):
    """Looks once at the statement of each place that reads a parameter or writes something."""

    __slots__ = ("_looked", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._looked: set[Site] = set()

    def wrote(self, tensor: torch.Tensor, operator: str, site: Site) -> None:
        """The program has written to a tensor: to what an index has picked, in a statement that
        does nothing else?"""
        if tensor._base is not None or not self._is_new(site):
            return
        call = _call_of(statement_at(site.place))
        method = call.func if call is not None else None
        if isinstance(method, ast.Attribute) and isinstance(method.value, ast.Subscript):
            maker = maker_of(tensor, self._told.record)
            if maker is not None and maker.operator == "index" and _is_at(maker.site, site):
                place = place_in(site.filename, method.value)
                self._told.tell(Pitfall.RESULT_DROPPED, place, operator=operator, detail=PICKED)

    def took(self, site: Site, alias: torch.Tensor, leaf: torch.Tensor, operator: str) -> None:
        """An operator there has given an alias of a leaf."""
        if not self._is_new(site):
            return
        statement = statement_at(site.place)
        flagged = _flagged(statement) if statement is not None else None
        if flagged is not None and _is_read(flagged.value, site):
            place = place_in(site.filename, flagged)
            owner = ast.unparse(flagged.value)
            self._told.tell(
                Pitfall.FLAG_WITHOUT_EFFECT, place, tensor=owner, operator="requires_grad"
            )
        call = _call_of(statement)
        method = call.func if call is not None else None
        if call is None or not isinstance(method, ast.Attribute):
            return
        if has_twin(method.attr) and _is_read(method.value, site):
            place = place_in(site.filename, call)
            self._told.tell(Pitfall.RESULT_DROPPED, place, operator=method.attr)

    def _is_new(self, site: Site) -> bool:
        if not site.filename.endswith(".py"):
            return False  # a cell of a notebook shows what its last expression gives
        is_new = site not in self._looked and len(self._looked) < _MOST
        self._looked.add(site)
        return is_new


def _call_of(statement: ast.stmt | None) -> ast.Call | None:
    """The call that a statement consists of."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return value if isinstance(value, ast.Call) else None


def _flagged(statement: ast.stmt) -> ast.Attribute | None:
    """What a statement sets a flag of, if that is a part of something."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    is_flag = isinstance(target, ast.Attribute) and target.attr == "requires_grad"
    if not isinstance(target, ast.Attribute) or not is_flag:
        return None
    return target if isinstance(target.value, ast.Subscript) else None


def _is_read(node: ast.expr, site: Site) -> bool:
    """Whether an expression is what is read at a site, or a part of it."""
    while isinstance(node, ast.Subscript):
        node = node.value
    place = site.place
    return (node.lineno, node.col_offset, node.end_col_offset) == (
        place.row, place.column - 1, place.end_column - 1,
    )  # fmt: skip


def _is_at(site: Site | None, other: Site) -> bool:
    return site is not None and site.code is other.code and site.place.row == other.place.row
