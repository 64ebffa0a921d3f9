"""Leaves that the program moves itself by a gradient to which every backward adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_AGAIN = 2  # moves by what an earlier one has used: one may be meant
_MOST = 256  # leaves that are followed


@dataclass(slots=True)
class _Moved:
    """A leaf of no optimizer: where its gradient was read since the latest backward, whether the
    leaf was written to after that, and how often both came before another backward added to it."""

    leaf: Leaf
    memory: int
    read: Site | None = None
    written: bool = False
    times: int = 0


class ByHand(Family):
    """Follows leaves of no optimizer whose gradients nothing clears; keeps none alive.

    Operators are only looked at while there is such a leaf.
    """

    __slots__ = ("_gradients", "_leaves", "_moved", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._moved: dict[int, _Moved] = {}  # by the leaf
        self._leaves: dict[int, _Moved] = {}  # by the memory of the leaf
        self._gradients: dict[int, _Moved] = {}  # by that of its gradient

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine is about to add to the gradients of these leaves."""
        for leaf in leaves:
            known = self._moved.get(id(leaf))
            if leaf.owned or not leaf.is_as_left:
                if known is not None:
                    known.times = 0
            elif known is not None:
                self._added_to(known, site)
            elif len(self._moved) < _MOST:
                self._follow(leaf)

    def _follow(self, leaf: Leaf) -> None:
        tensor = leaf.tensor()
        gradient = None if tensor is None else tensor.grad
        if tensor is None or gradient is None:
            return
        memory, of_gradient = storage_id(tensor), storage_id(gradient)
        if memory is not None and of_gradient is not None:
            known = self._moved[id(leaf)] = _Moved(leaf, memory)
            self._leaves[memory] = self._gradients[of_gradient] = known
            self._told.record.told_use[ByHand] = self._used

    def _added_to(self, known: _Moved, site: Site | None) -> None:
        tensor = known.leaf.tensor()
        memory = storage_id(tensor) if tensor is not None else None
        is_other = memory is not None and memory != known.memory  # `x.data = ...` was set
        is_moved = known.written or (is_other and known.read is not None)
        known.times = known.times + 1 if is_moved else 0
        if memory is not None and is_other:
            self._leaves.pop(known.memory, None)
            self._leaves[memory], known.memory = known, memory
        if known.times >= _AGAIN and tensor is not None:
            name = name_of(tensor, self._told.sites)
            modified = stepped(known.read)
            self._told.tell(Pitfall.MISSING_ZERO_GRAD, site, tensor=name, modified=modified)
        known.read, known.written = None, False

    def _used(self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool) -> None:
        """An operator takes these: does it read such a gradient, or write to its leaf?"""
        for at, tensor in enumerate(tensors_in(given)):
            storage = storage_id(tensor)
            if storage is None:
                continue
            read = self._gradients.get(storage)
            if read is not None:
                read.read = site
            if writes and at == 0 and (moved := self._leaves.get(storage)) is not None:
                moved.written = moved.written or self._reads(given, moved)

    def _reads(self, given: tuple[Any, ...], moved: _Moved) -> bool:
        """Whether the gradient was read before this write, or by it."""
        return moved.read is not None or any(
            self._gradients.get(storage_id(one) or 0) is moved for one in tensors_in(given)
        )
