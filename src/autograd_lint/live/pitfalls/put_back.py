"""Weights that are put back from what lies in their own memory: nothing was kept.

best = [p.detach().numpy() for p in net.parameters()]         # moves with each step
...
p.copy_(torch.from_numpy(kept))
"""

from __future__ import annotations

from typing import Any

import torch

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import SEVERAL, Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told, tensors
from autograd_lint.live.private import storage_id
from autograd_lint.live.sites import Site

_MOST = 256  # memories of leaves that an alias was taken of


class PutBack(Family):
    """Looks at copies onto the very memory that they come from, by way of an array of NumPy.

    Other names for a network, and its own state, are told of by others.
    """

    __slots__ = ("_gradients", "_others", "_own", "_taken", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._taken: dict[int, tuple[Leaf, Site]] = {}  # the latest alias of an address
        # Copies of what has such an alias, or is a parameter itself.
        self._own: dict[Site, tuple[Leaf, Site]] = {}
        self._others: set[Site] = set()
        told.record.tell_of(("copy_",), self._used)

    def took(self, site: Site, alias: torch.Tensor, leaf: torch.Tensor, operator: str) -> None:
        """An operator has given an alias of a leaf."""
        if operator in ("data", "detach") and len(self._taken) < _MOST:
            self._taken[alias.data_ptr()] = self._gradients.leaf(leaf), site

    def _used(self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool) -> None:
        """One tensor is copied to another: to itself?"""
        both = tensors(given[:2])
        if site is None or len(both) != 2:
            return
        own, other = both
        is_own = own.layout == other.layout == torch.strided and own.data_ptr() == other.data_ptr()
        if not is_own or storage_id(own) == storage_id(other) or not own.numel():
            self._others.add(site)
        elif own.shape == other.shape and own.stride() == other.stride():
            known = self._taken.get(own.data_ptr())
            if known is not None or isinstance(own, torch.nn.Parameter):
                self._own.setdefault(site, known or (self._gradients.leaf(own), site))

    def trained(self) -> None:
        """The program has run to its end: which copies were never of anything else?"""
        for site, (leaf, taken) in self._own.items():
            if leaf.moved and site not in self._others:
                needed = Needed(place_of(site), "copy_")
                self._told.tell(Pitfall.STATE_OVERWRITTEN, taken, detail=SEVERAL, needed=needed)
