"""Modules that load their own state again and again, while others are trained.

target.load_state_dict(target.state_dict())       # that of the trained network was meant

Or one that has two names, and by the one is given what it holds by the other:

self.target = self.online                         # a copy was meant
self.target.load_state_dict(self.online.state_dict())
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import ref

import torch

from autograd_lint.checkers.second_names import binding_of, is_chosen
from autograd_lint.engine.events import Needed
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import SAME_NAME, Pitfall
from autograd_lint.live.naming import call_at, receiver_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site
from autograd_lint.live.source import judged
from autograd_lint.project.source import Source

_AGAIN = 2  # times that a module is given what it holds


@dataclass(slots=True)
class _Loading:
    """A place where a module is given its own state: its leaves, and how often."""

    leaves: list[Leaf]
    times: int = 0


class OwnStates(Family):
    """Knows which state was asked for last, and who loads its own; keeps none alive."""

    __slots__ = ("_gradients", "_latest", "_loadings", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._latest: tuple[int, ref[torch.nn.Module], Site] | None = None
        self._loadings: dict[Site, _Loading] = {}

    def saved(self, module: torch.nn.Module, state: Mapping[str, Any], site: Site | None) -> None:
        """A module has given its state."""
        self._latest = (id(state), ref(module), site) if site is not None else None

    def loading(self, module: torch.nn.Module, state: Mapping[str, Any], site: Site | None) -> None:
        """A module is about to load a state: its own, which goes from one call to the other?"""
        latest, self._latest = self._latest, None
        if latest is None or site is None or latest[0] != id(state) or latest[1]() is not module:
            return
        if _hands_over(latest[2], site):
            known = self._loadings.get(site)
            if known is None:
                leaves = [self._gradients.leaf(one) for one in module.parameters()]
                known = self._loadings[site] = _Loading(leaves)
            known.times += 1

    def trained(self) -> None:
        """The program has run to its end: which of them were to follow what is trained?"""
        for site, known in self._loadings.items() if self._gradients.have_stepped() else ():
            names = _names(site)
            if names is not None and names[0] != names[1]:
                self._tell_of_binding(site, *names)
                continue
            is_trained = any(leaf.owned or leaf.reached for leaf in known.leaves)
            if known.leaves and known.times >= _AGAIN and not is_trained:
                name = receiver_at(site)
                self._told.tell(Pitfall.OWN_STATE, site, tensor=name, detail=SAME_NAME)

    def _tell_of_binding(self, site: Site, name: str, other: str) -> None:
        """Two names are one module: does a statement bind them that no condition chooses?"""
        found = judged(partial(_bindings, name, other), site.filename)
        needed = Needed(site.place, "load_state_dict")
        for fault in found:
            self._told.tell(
                Pitfall.OWN_STATE, fault.place, tensor=name, operator=other, needed=needed
            )


def _bindings(name: str, other: str, source: Source) -> Iterator[Fault]:
    statement = binding_of(source, name, other)
    if statement is not None and not is_chosen(source, statement):
        yield Fault(Pitfall.OWN_STATE, source.place(statement))


def _given(loading: Site) -> ast.Call | None:
    """The call that gives what a call at a place loads."""
    call = call_at(loading.place)
    given = call.args[0] if call is not None and call.args else None
    return given if isinstance(given, ast.Call) else None


def _names(loading: Site) -> tuple[str, str] | None:
    """What the module that loads is called, and that whose state it is given."""
    call, given = call_at(loading.place), _given(loading)
    functions = [one.func for one in (call, given) if one is not None]
    owners = [one.value for one in functions if isinstance(one, ast.Attribute)]
    return (ast.unparse(owners[0]), ast.unparse(owners[1])) if len(owners) == 2 else None


def _hands_over(saved: Site, loading: Site) -> bool:
    """Whether a call is given at once what another call gives: nothing lies between."""
    given = _given(loading)
    if given is None or saved.code is not loading.code:
        return False
    return given.lineno <= saved.place.row <= (given.end_lineno or given.lineno)
