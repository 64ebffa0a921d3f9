"""Gradients that the program reads after they have been cleared: they are zero each time.

optimizer.step()
optimizer.zero_grad(set_to_none=False)
importance += weight.grad ** 2
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import READ_CLEARED, Pitfall
from autograd_lint.live.naming import statement_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_AGAIN = 3  # backwards after each of which that was done
_MOST = 4096  # gradients of which the memory is remembered


class ReadCleared(Family):
    """Knows the memory of gradients, and which have been cleared since the latest backward."""

    __slots__ = (
        "_cleared", "_cleared_at", "_clearing", "_fresh", "_known", "_read", "_stay", "_told",
        "_window",
    )  # fmt: skip

    def __init__(self, told: Told) -> None:
        self._told = told
        self._known: dict[int, ref[torch.Tensor]] = {}  # leaves by the memory of their gradients
        self._cleared: set[int] = set()
        self._clearing: Site | None = None
        self._stay = False  # gradients are cleared, and not dropped
        self._window: set[Site] = set()  # where cleared gradients were read since a backward
        self._read: Counter[Site] = Counter()
        self._fresh: set[Site] = set()
        self._cleared_at: dict[Site, Site] = {}

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """The gradients of these are about to be cleared."""
        if not self._stay:
            return
        memories = ((one, storage_id(one.grad)) for one in held if one.grad is not None)
        cleared = {memory: ref(one) for one, memory in memories if memory is not None}
        if len(self._known) > _MOST:
            self._known.clear()
        self._known.update(cleared)
        self._cleared, self._clearing = {*cleared}, site
        if self._cleared:
            self._told.record.told_use[ReadCleared] = self._used

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine is about to add to gradients: to some that are there?"""
        first = leaves[0].tensor() if leaves else None
        if first is not None:
            self._stay = first.grad is not None
            self._cleared.clear()
            self._window.clear()

    def _used(self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool) -> None:
        """An operator takes these: does it read a gradient?"""
        if site is None or site.optimizer is not None:
            return
        for tensor in tensors_in(given[1:] if writes else given):
            memory = storage_id(tensor) or 0
            known = self._known.get(memory)
            leaf = known() if known is not None else None
            if leaf is None or leaf.grad is None or storage_id(leaf.grad) != memory:
                continue  # others lie there by now
            if memory in self._cleared:
                self._note(site)
            else:
                self._fresh.add(site)

    def _note(self, site: Site) -> None:
        if site not in self._window and self._clearing is not None:
            self._window.add(site)
            self._read[site] += 1
            self._cleared_at[site] = self._clearing

    def trained(self) -> None:
        """The program has run to its end: who has never read any others?"""
        for site, times in self._read.items():
            checks = isinstance(statement_at(site.place), ast.Assert)
            if times >= _AGAIN and site not in self._fresh and not checks:
                cleared = self._cleared_at[site].place
                self._told.tell(
                    Pitfall.ZERO_GRAD_BEFORE_STEP,
                    cleared,
                    detail=READ_CLEARED,
                    needed=Needed(site.place, "read"),
                )
