"""Steps that are undone before anything has computed with what they made of a weight.

kept = weight.clone()
weight.data.copy_(weight.sign())
loss(net(x), y).backward()
optimizer.step()                      # of the signs; `weight.data.copy_(kept)` was to come before
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary, ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import UNDONE, Pitfall
from autograd_lint.live.contents import Digest, differ, digest
from autograd_lint.live.graph import PRODUCTS
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_AGAIN = 3  # steps in a row that were undone
_MOST = 3  # weights of an optimizer that are followed, each as long as its steps are undone
_COMPUTING = PRODUCTS | {"addmv", "baddbmm", "embedding", "linear", "mv"}


@dataclass(slots=True)
class _Weight:
    """What a weight held before and after the latest step, at a place, how many in a row were
    undone, where the value from before that one was put back, and whether the new one was used."""

    tensor: ref[torch.Tensor]
    before: Digest | None
    after: Digest | None = None
    stepped: Site | None = None
    times: int = 0
    undone: Site | None = None
    is_used: bool = False


class Undone(Family):
    """Follows a few weights of each optimizer from its first step on; keeps none alive."""

    __slots__ = ("_told", "_weights")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._weights: WeakKeyDictionary[Optimizer, list[_Weight]] = WeakKeyDictionary()

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step."""
        known = self._weights.get(step.optimizer)
        if known is None:
            matrices = [one for one in step.held if one.dim() > 1 and one.device.type == "cpu"]
            followed = [_Weight(ref(one), digest(one)) for one in matrices[:_MOST]]
            self._weights[step.optimizer] = followed
            if followed:
                self._told.record.told_use[Undone] = self._used
        elif known:
            self._weights[step.optimizer] = [one for one in known if self._is_undone(one)]
            if not any(self._weights.values()):
                self._told.record.told_use.pop(Undone, None)
        for one in self._weights[step.optimizer]:
            one.stepped = step.site

    def _is_undone(self, weight: _Weight) -> bool:
        """Whether a weight holds what it held before the latest step, which nothing has used."""
        tensor = weight.tensor()
        now = digest(tensor) if tensor is not None else None
        has_moved = differ(weight.before, weight.after)
        if weight.is_used or not has_moved or now is None or differ(weight.before, now):
            return False
        weight.times += 1
        if weight.times == _AGAIN and tensor is not None:
            self._told.tell(
                Pitfall.STATE_OVERWRITTEN,
                weight.undone or weight.stepped,
                tensor=name_of(tensor, self._told.sites),
                detail=UNDONE,
                modified=stepped(weight.stepped),
            )
        return weight.times < _AGAIN

    def after_step(self, optimizer: Optimizer) -> None:
        """A step has ended."""
        for one in self._weights.get(optimizer, ()):
            tensor = one.tensor()
            one.after = digest(tensor) if tensor is not None else None
            one.is_used, one.undone = False, None

    def wrote(self, tensor: torch.Tensor, operator: str, site: Site) -> None:
        """The program has written to a tensor: has it put back what a weight held?"""
        self._note(tensor, tensor, site)

    def replaced(self, tensor: torch.Tensor, value: torch.Tensor, site: Site) -> None:
        """The program is about to set the `.data` of a tensor."""
        self._note(tensor, value, site)

    def _note(self, tensor: torch.Tensor, value: torch.Tensor, site: Site) -> None:
        for one in self._moved_in({storage_id(tensor)}):
            if not differ(one.before, digest(value)):
                one.undone = site

    def _used(
        self, given: tuple[Any, ...], site: Site | None, operator: str, /, *, writes: bool
    ) -> None:
        """An operator takes these: does it compute with the weight that a step has made?"""
        if operator in _COMPUTING:
            for one in self._moved_in({storage_id(tensor) for tensor in tensors_in(given)}):
                one.is_used = True

    def _moved_in(self, memories: set[int | None]) -> list[_Weight]:
        """The weights in these memories that hold what the latest step has made."""
        followed = (one for known in self._weights.values() for one in known)
        waiting = (one for one in followed if one.after is not None and one.undone is None)
        alive = ((one, one.tensor()) for one in waiting)
        return [one for one, own in alive if own is not None and storage_id(own) in memories]
