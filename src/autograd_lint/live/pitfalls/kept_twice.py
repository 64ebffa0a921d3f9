"""Gradients that are kept for each of several losses by reference, and cleared in between: all are
one tensor, which holds those of the last loss.

for loss in losses:
    optimizer.zero_grad(set_to_none=False)
    loss.backward(retain_graph=True)
    kept.append([p.grad for p in parameters])
"""

from __future__ import annotations

import gc
from typing import Any, cast

import torch

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Walked
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import storage_id
from autograd_lint.live.reading import is_a
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_FIRST = 8  # leaves of a call that are looked at
_MOST = 8  # times that it is asked who holds a gradient, for which all objects are gone through


class KeptTwice(Family):
    """Looks for containers of one container that all hold the same gradient.

    Operators are only looked at where a backward has filled a gradient once more that was cleared
    in its memory without a step.
    """

    __slots__ = ("_asked", "_refilled", "_told", "_waiting")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._asked = 0
        self._waiting: list[tuple[Leaf, int]] = []  # with the identity of the gradient
        self._refilled: tuple[int | None, Site | None] = (None, None)  # the memory, and by whom

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine is about to add to the gradients of these leaves."""
        known = ((leaf, leaf.tensor()) for leaf in leaves[:_FIRST] if _is_cleared(leaf))
        self._waiting = [(leaf, id(one.grad)) for leaf, one in known if one is not None][:1]

    def after_backward(self, walked: Walked) -> None:
        """It has: is it the same gradient as before?"""
        for leaf, before in self._waiting:
            tensor = leaf.tensor()
            gradient = tensor.grad if tensor is not None else None
            if gradient is not None and id(gradient) == before and self._asked < _MOST:
                self._refilled = storage_id(gradient), walked.call.site
                self._told.record.told_use[KeptTwice] = self._used
        self._waiting = []

    def _used(
        self, given: tuple[Any, ...], site: Site | None, operator: str, /, *, writes: bool
    ) -> None:
        """An operator takes these: the gradient, which is kept as several?"""
        memory, filled = self._refilled
        for tensor in tensors_in(given) if not writes else ():
            if storage_id(tensor) == memory and memory is not None:
                self._refilled, self._asked = (None, None), self._asked + 1
                if _is_kept_twice(tensor):
                    needed = Needed(place_of(site), "use")
                    self._told.tell(
                        Pitfall.SNAPSHOT_OVERWRITTEN, filled, operator="grad", needed=needed
                    )
                return


def _is_cleared(leaf: Leaf) -> bool:
    """Whether a leaf holds a gradient that was cleared in its memory, without a step before."""
    tensor = leaf.tensor()
    is_there = tensor is not None and tensor.grad is not None
    return is_there and leaf.used is None and leaf.filled is None and leaf.backwards > 0


def _is_kept_twice(tensor: torch.Tensor) -> bool:
    """Whether two containers that one container holds have a tensor as an element."""
    holders = _holders(tensor)
    if len(holders) < 2:
        return False
    around = [{id(one) for one in _holders(holder)} - {id(holders)} for holder in holders]
    pairs = ((first, second) for at, first in enumerate(around) for second in around[:at])
    return any(not first.isdisjoint(second) for first, second in pairs)


def _holders(held: object) -> list[object]:
    """The lists and dictionaries that hold something, among nothing but tensors and such."""
    found = [one for one in gc.get_referrers(held) if type(one) in (dict, list)]
    return [one for one in found if all(map(_may_be_kept, _elements(one)))]


def _elements(container: object) -> list[object]:
    return (
        [*container.values()] if isinstance(container, dict) else [*cast("list[object]", container)]
    )


def _may_be_kept(one: object) -> bool:
    return one is None or is_a(one, torch.Tensor) or type(one) in (dict, list)
