"""Updates of parameters of which nothing is left: a loop binds its name to what is computed.

for p in critic.parameters():
    p = p.data.clamp(-0.01, 0.01)      # the next iteration binds p to another parameter

The text tells that the result is dropped, the run that it was computed of a parameter.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import torch

from autograd_lint.checkers import lost_updates
from autograd_lint.engine.pitfalls import LOST_UPDATE, Pitfall
from autograd_lint.live.naming import statement_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site
from autograd_lint.live.source import judged
from autograd_lint.places import Place

_MOST = 256  # places that are remembered


class LostUpdates(Family):
    """Knows where the values of parameters were taken."""

    __slots__ = ("_memories", "_taken", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._taken: set[Site] = set()
        self._memories: set[int | None] = set()  # of parameters, which states have entries in

    def saved(self, module: torch.nn.Module, state: Mapping[str, Any], site: Site | None) -> None:
        """A module has given its state, in a file with such a loop?"""
        if site is not None and any(judged(lost_updates.judge, site.filename)):
            own = {storage_id(one) for one in module.parameters()}
            given = {storage_id(one) for one in state.values() if isinstance(one, torch.Tensor)}
            self._memories |= own & given
            self._told.record.told_use[LostUpdates] = self._used

    def _used(
        self, given: tuple[Any, ...], site: Site | None, operator: str, /, *, writes: bool
    ) -> None:
        """An operator takes these: an entry of a state?"""
        for tensor in tensors_in(given) if site is not None and not writes else ():
            if site is not None and storage_id(tensor) in self._memories:
                self._note(site)

    def took(self, site: Site, alias: torch.Tensor, leaf: torch.Tensor, operator: str) -> None:
        """An operator there has given an alias of a leaf."""
        self._note(site)

    def cut(self, operator: str, site: Site, tensor: torch.Tensor) -> None:
        """An operator there leaves the graph of a tensor, perhaps of a leaf."""
        if tensor.is_leaf:
            self._note(site)

    def combined(self, operator: str, given: tuple[Any, ...], site: Site, number: int) -> None:
        """An operator there has computed something of these, with a graph: of a parameter?"""
        if any(isinstance(one, torch.nn.Parameter) for one in given):
            self._note(site)

    def _note(self, site: Site) -> None:
        if len(self._taken) < _MOST:
            self._taken.add(site)

    def at_end(self) -> None:
        """All was seen that is to be judged: which results were only given to a name?"""
        for filename in sorted({site.filename for site in self._taken}):
            lost = {_start(one.place): one for one in judged(lost_updates.judge, filename)}
            sites = (site for site in self._taken if lost and site.filename == filename)
            for place in sorted(filter(None, map(_bound_at, sites))):
                if place in lost:
                    self._told.tell(
                        Pitfall.PARAMETER_REBOUND,
                        lost[place].place,
                        tensor=lost[place].tensor,
                        detail=LOST_UPDATE,
                    )


def _start(place: Place | None) -> tuple[int, int] | None:
    return None if place is None else (place.row, place.column)


def _bound_at(site: Site) -> tuple[int, int] | None:
    """The row and column of the name that the statement around a site binds."""
    statement = statement_at(site.place)
    if not isinstance(statement, ast.Assign):
        return None
    return statement.targets[0].lineno, statement.targets[0].col_offset + 1
