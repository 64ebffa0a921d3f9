"""Parameters that are moved along their gradient, to which the next backward adds.

loss(model(x), y).backward()
for p in model.parameters():
    p.add_(rho * p.grad)                    # to the worst point nearby
loss(model(x), y).backward()                # the step is to use the gradient there, alone
for p in model.parameters():
    p.sub_(rho * ...)
optimizer.step()
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.directions import is_along, is_looked_at
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_AGAIN = 2  # steps that use such a sum
_MOST = 8  # leaves that are followed


@dataclass(slots=True)
class _Followed:
    """A leaf to whose gradient several calls add before a step: whether it was moved along that
    since the latest of them, where one has added to it after that, and how many steps used it."""

    leaf: Leaf
    is_moved: bool = False
    added: Site | None = None
    times: int = 0


class Perturbed(Family):
    """Follows one leaf of each call that adds to what no step has used; keeps none alive.

    Operators are only looked at where there is such a call.
    """

    __slots__ = ("_followed", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._followed: dict[int, _Followed] = {}  # by the memory of the leaf

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine is about to add to the gradients of these leaves."""
        for known in self._followed.values() if leaves else ():
            is_added_to = any(leaf is known.leaf for leaf in leaves) and known.is_moved
            known.added = site if is_added_to and known.leaf.is_waiting else None
            known.is_moved = False
        if len(self._followed) < _MOST:
            self._follow(leaves)

    def _follow(self, leaves: list[Leaf]) -> None:
        first = leaves[:_MOST]
        waiting = ((one, one.tensor()) for one in first if one.owned and one.is_waiting)
        for leaf, tensor in waiting:
            memory = storage_id(tensor) if tensor is not None and is_looked_at(tensor) else None
            if memory is not None:
                self._followed.setdefault(memory, _Followed(leaf))
                self._told.record.told_use[Perturbed] = self._used
                return

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use the gradients of these."""
        for known in self._followed.values():
            tensor, added = known.leaf.tensor(), known.added
            known.added, known.is_moved = None, False
            if added is None or not any(one is tensor for one in step.held):
                continue
            known.times += 1
            if known.times == _AGAIN and tensor is not None:
                name = name_of(tensor, self._told.sites)
                modified = stepped(step.site)
                self._told.tell(Pitfall.MISSING_ZERO_GRAD, added, tensor=name, modified=modified)

    def _used(self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool) -> None:
        """An operator takes these: does it move a leaf along its gradient?"""
        taken = tensors_in(given) if writes else []
        known = self._followed.get(storage_id(taken[0]) or 0) if len(taken) == 2 else None
        tensor = known.leaf.tensor() if known is not None else None
        if known is not None and tensor is not None and tensor.grad is not None:
            known.is_moved |= is_along(taken[1], tensor.grad)
