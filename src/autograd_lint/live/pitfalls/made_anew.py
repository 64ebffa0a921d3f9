"""Layers that a `forward` makes in each call: their parameters are random, and nobody trains them.

def forward(self, x):
    return nn.Linear(8, 4)(x)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import ref

import torch

from autograd_lint.engine.pitfalls import MADE_ANEW, Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told, sum_of
from autograd_lint.live.sites import Site

_ROUNDS = 3  # calls of backward, each of which reaches a new parameter
_MOST = 64  # parameters that wait for a backward


@dataclass(slots=True)
class _Place:
    """Where a `forward` makes parameters: how many backwards have reached a new one there, and the
    values of these, each as a sum."""

    rounds: int = 0
    values: set[float] = field(default_factory=set)


class MadeAnew(Family):
    """Follows the parameters that were made since the latest backward; keeps none alive."""

    __slots__ = ("_made", "_places", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._made: dict[int, tuple[ref[torch.Tensor], Site]] = {}
        self._places: dict[Site, _Place] = {}

    def wrapped(self, parameter: torch.Tensor, data: torch.Tensor, site: Site) -> None:
        """A parameter was made, perhaps by a layer that the program makes."""
        if site.code.co_name == "forward" and len(self._made) < _MOST:
            self._made[id(parameter)] = ref(parameter), site

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine begins: which of them does it fill?"""
        if not self._made:
            return
        made, self._made = self._made, {}
        reached: dict[Site, torch.Tensor] = {}
        for leaf in leaves:
            tensor = leaf.tensor()
            known, site = made.get(id(tensor), (None, None))
            if tensor is not None and site and known and known() is tensor and not leaf.owned:
                reached.setdefault(site, tensor)
        for site, tensor in reached.items():
            place = self._places.setdefault(site, _Place())
            place.rounds += 1
            place.values.add(sum_of([tensor]))
            if place.rounds == _ROUNDS == len(place.values):  # else they are constants
                self._told.tell(Pitfall.UNREGISTERED, site, detail=MADE_ANEW)
