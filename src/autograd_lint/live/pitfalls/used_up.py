"""Iterators of parameters that are gone through twice: the second time there is nothing left."""

from __future__ import annotations

import ast
from itertools import chain, islice
from types import GeneratorType
from typing import Any

from torch.optim import Optimizer

from autograd_lint.engine.events import noted_at
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.bindings import binding_of
from autograd_lint.live.failure import place_of
from autograd_lint.live.naming import call_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site
from autograd_lint.places import Place

_MOST = 16  # iterators that are remembered
_ITERATORS = (chain, filter, islice, map)  # beside generators


class UsedUp(Family):
    """Knows which iterators optimizers were given, by identity; keeps none alive."""

    __slots__ = ("_given", "_kept", "_taken", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._taken: dict[int, Site | None] = {}  # where
        self._given: Any = None  # the iterator that a group is about to be made of
        self._kept: list[Any] = []  # those that groups were made of, which hold nothing any more

    def taken(self, params: Any, site: Site | None) -> None:
        """An optimizer was given these parameters, and has gone through them."""
        if isinstance(params, _ITERATORS):
            self._taken[id(params)] = site

    def giving(self, group: Any) -> None:
        """An optimizer is about to be given a group."""
        given = group.get("params") if isinstance(group, dict) else None
        self._given = given if isinstance(given, (GeneratorType, *_ITERATORS)) else None

    def given(self, optimizer: Optimizer, site: Site | None) -> None:
        """It was: with nothing in it, for an earlier group has used up what it was made of?"""
        given, self._given = self._given, None
        if given is None:
            return
        if not optimizer.param_groups[-1]["params"] and any(one is given for one in self._kept):
            self._told.tell(Pitfall.USED_UP, site, operator="parameters")
        elif len(self._kept) < _MOST:
            self._kept.append(given)

    def clipped(self, given: Any, listed: Any, site: Site | None) -> None:
        """Gradients are about to be clipped, of what an iterator still gives."""
        is_over = isinstance(given, GeneratorType) and listed is given
        is_taken = isinstance(given, _ITERATORS) and id(given) in self._taken
        if is_over or (is_taken and not listed):
            noted = noted_at(place_of(self._taken.get(id(given))), "gone through here")
            noted += noted_at(_binding(site), "made here")
            self._told.tell(Pitfall.USED_UP, site, operator="parameters", noted=noted)


def _binding(site: Site | None) -> Place | None:
    """Where the name was bound that a call at a place is given first."""
    call = call_at(site.place) if site is not None else None
    given = call.args[0] if call is not None and call.args else None
    return binding_of(given.id, site) if isinstance(given, ast.Name) else None


def gone_through(given: Any) -> tuple[Any, Any]:
    """What an iterator gives, and one that gives the same again; anything else twice as it is."""
    if isinstance(given, GeneratorType) and given.gi_frame is not None:
        listed = list(given)
        return listed, (one for one in listed)
    if isinstance(given, _ITERATORS):
        listed = list(given)
        return listed, iter(listed)
    return given, given
