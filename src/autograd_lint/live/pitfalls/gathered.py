"""Gradients that the program adds to a sum of its own after each backward, and never clears.

for x, y in samples:
    loss(model(x), y).backward()           # adds to what the samples before have left
    for n, p in model.named_parameters():
        fisher[n] += p.grad ** 2
"""

from __future__ import annotations

from typing import Any

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Modified
from autograd_lint.engine.pitfalls import GATHERED, Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_AGAIN = 2  # sums in a row, each of what an earlier one has had a part of
_IN_PLACE = frozenset({"add_", "addcmul_"})


class Gathered(Family):
    """Follows the place of the latest backward that adds to what it has left itself.

    Operators are only looked at behind such a one. `_shapes` are those of the leaves that it adds
    to, `_sum` where their gradients were added to a sum since, `_times` in how many rounds in a row
    they were, `_found` the leaf, the backward and the sum where that is wrong unless a step uses
    the gradients as well: for that they may be meant to grow.
    """

    __slots__ = ("_backward", "_found", "_shapes", "_sum", "_times", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._backward: Site | None = None
        self._found: tuple[Leaf, Site, Site] | None = None
        self._shapes: frozenset[torch.Size] = frozenset()
        self._sum: Site | None = None
        self._times = 0

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine is about to add to the gradients of these leaves."""
        if site is None:
            return
        grows = [leaf for leaf in leaves if leaf.filled is site and leaf.is_waiting]
        is_next = site is self._backward and bool(grows)
        self._times = self._times + 1 if is_next and self._sum is not None else 0
        if self._times == _AGAIN and self._sum is not None:
            self._found = grows[0], site, self._sum
        tensors = (leaf.tensor() for leaf in grows)
        self._shapes = frozenset(one.shape for one in tensors if one is not None)
        self._backward, self._sum = site, None
        if grows:
            self._told.record.told_use[Gathered] = self._used
        else:
            self._told.record.told_use.pop(Gathered, None)

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use the gradients of these."""
        leaf = self._found[0].tensor() if self._found is not None else None
        if leaf is not None and any(one is leaf for one in step.held):
            self._found = None

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """The gradients of these are about to be cleared: no step has used them."""
        leaf = self._found[0].tensor() if self._found is not None else None
        if leaf is not None and any(one is leaf for one in held):
            self.trained()

    def trained(self) -> None:
        """No step will use them."""
        if self._found is None:
            return
        _, site, gathered = self._found
        self._found = None
        modified = Modified(gathered.place, "add_", None, 0)
        self._told.tell(Pitfall.GRADIENTS_PILE_UP, site, detail=GATHERED, modified=modified)

    def _used(
        self, given: tuple[Any, ...], site: Site | None, operator: str, /, *, writes: bool
    ) -> None:
        """An operator takes these: does it add what comes of such gradients to a sum?"""
        tensors = tensors_in(given) if operator in _IN_PLACE or operator == "add" else []
        if len(tensors) < 2 or tensors[0].shape not in self._shapes:
            return
        if site is None or site.optimizer is not None:
            return
        is_sum = writes or self._is_made_at(tensors[0], site)
        if is_sum and not self._is_of_gradients(tensors[0]) and self._is_of_gradients(tensors[1]):
            self._sum = site

    def _is_made_at(self, tensor: torch.Tensor, site: Site) -> bool:
        """Whether an earlier run of the same instruction has made it."""
        origin = self._told.record.memory.origin(storage_id(tensor) or 0)
        return origin is not None and origin.site is site

    def _is_of_gradients(self, tensor: torch.Tensor) -> bool:
        """Whether it is what the latest backward has left in a leaf, or computed of that."""
        origin = self._told.record.memory.origin(storage_id(tensor) or 0)
        cut = origin.cut if origin is not None else None
        return cut is not None and cut.requires and cut.site is self._backward
