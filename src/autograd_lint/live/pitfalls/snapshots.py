"""Detached results that are kept, overwritten through their source, and then computed with."""

from __future__ import annotations

from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.naming import name_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import tensors_at_hand
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_MOST = 256  # storages that are remembered


class Snapshots(Family):
    """Knows where `detach()` was called of which memory, and who has a name for it."""

    __slots__ = ("_detached", "_overwritten", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._detached: dict[int, Site] = {}
        self._overwritten: dict[int, tuple[ref[torch.Tensor], Site, Site]] = {}

    def cut(self, operator: str, site: Site, tensor: torch.Tensor) -> None:
        """A computed tensor was detached: what that gave lies in the same memory."""
        is_detached = operator in ("data", "detach") and not tensor.is_leaf
        storage = storage_id(tensor) if is_detached else None
        if storage is not None:
            if len(self._detached) >= _MOST:
                del self._detached[next(iter(self._detached))]
            self._detached[storage] = site

    def wrote(self, tensor: torch.Tensor, operator: str, site: Site) -> None:
        """An operator in grad mode has written: what has a name there holds other values now."""
        is_kept = self._detached and tensor.requires_grad and torch.is_grad_enabled()
        storage = storage_id(tensor) if is_kept else None
        kept = None if storage is None else self._detached.get(storage)
        if kept is None:
            return
        for known in tensors_at_hand(self._told.sites):
            if not known.requires_grad and storage_id(known) == storage:
                self._overwritten[id(known)] = ref(known), site, kept
                self._told.record.told_use[Snapshots] = self._used

    def _used(self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool) -> None:
        """An operator takes these; what writes may overwrite all that there was."""
        for tensor in tensors_in(given) if not writes else ():
            known, write, kept = self._overwritten.get(id(tensor), (None, None, None))
            if known is None or known() is not tensor:
                continue
            del self._overwritten[id(tensor)]
            self._told.tell(
                Pitfall.SNAPSHOT_OVERWRITTEN,
                write,
                tensor=name_at(write),
                operator="detach",
                built=Created(place_of(kept), "detach"),
                needed=Needed(place_of(site), "use"),
            )
