"""What was taken of a parameter without a copy, and is used as if a step had not moved it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import FrameType
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.told import Told, parameters_of, stepped
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site
from autograd_lint.live.writes import geometry_of

_MOST = 256  # aliases that are remembered


@dataclass(slots=True)
class _Alias:
    """A tensor in the memory of a parameter: what took it, where, and the step that moved both."""

    tensor: ref[torch.Tensor]
    leaf: ref[torch.Tensor]
    operator: str
    site: Site
    moved: Site | None = None


class Aliases:
    """Knows what lies in the memory of parameters; keeps nothing alive."""

    __slots__ = ("_known", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._known: dict[int, _Alias] = {}

    def taken(self, alias: torch.Tensor, leaf: torch.Tensor, operator: str, site: Site) -> None:
        """`detach()` or `.data` of a leaf has given an alias."""
        if len(self._known) >= _MOST:
            self._forget_dead()
        if len(self._known) < _MOST:
            by = "state_dict" if _saves_state() else operator
            self._known[id(alias)] = _Alias(ref(alias), ref(leaf), by, site)

    def moved(self, optimizer: torch.optim.Optimizer) -> None:
        """A step has moved the parameters of an optimizer."""
        if not self._known:
            return
        held, site = set(map(id, parameters_of(optimizer))), self._told.here()
        self._forget_dead()
        for one in self._known.values():
            leaf = one.leaf()
            if leaf is not None and id(leaf) in held:
                one.moved = one.moved or site
                self._told.record.told_use[Aliases] = self._used

    def _forget_dead(self) -> None:
        self._known = {key: one for key, one in self._known.items() if one.tensor() is not None}

    def _used(self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool) -> None:
        """An operator takes these: an alias from before a step, and what that has moved?"""
        tensors = tensors_in(given)
        for tensor in tensors if len(tensors) > 1 else ():
            alias = self._known.get(id(tensor))
            if alias is None or alias.moved is None or alias.tensor() is not tensor:
                continue
            if any(_is_same_memory(one, tensor) for one in tensors if one is not tensor):
                self._tell(alias, site)

    def _tell(self, alias: _Alias, site: Site | None) -> None:
        needed = Needed(place_of(site), "use")
        if alias.operator == "state_dict":
            self._told.tell(
                Pitfall.STATE_OVERWRITTEN, alias.site, modified=stepped(alias.moved), needed=needed
            )
            return
        built = Created(place_of(alias.site), alias.operator)
        self._told.tell(
            Pitfall.SNAPSHOT_OVERWRITTEN,
            alias.moved,
            operator=alias.operator,
            built=built,
            needed=needed,
        )


def _is_same_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors are the same elements of one storage."""
    storage = storage_id(one)
    same = storage is not None and storage == storage_id(other)
    return same and geometry_of(one) == geometry_of(other)


def _saves_state() -> bool:
    """Whether a module writes out its state."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code is torch.nn.Module._save_to_state_dict.__code__:
            return True
        frame = frame.f_back
    return False
