"""Elements of a parameter that a hook, or the program, freezes, and that weight decay moves.

weight.register_hook(lambda gradient: gradient * mask)      # zero where they are to stay
optimizer = torch.optim.AdamW([weight], weight_decay=0.1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import DECAYED, Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.pitfalls.variables import variables_of
from autograd_lint.live.private import storage_id, version_of
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_AGAIN = 3  # steps that have moved them
_MOST = 16  # parameters that are followed
_MOST_ELEMENTS = 1_000_000
_MULTIPLYING = "mul_"


@dataclass(slots=True)
class _Masked:
    """A parameter with the mask that there is for its gradient, in a version, and where that was
    put on; what the masked elements are before the running step, and how many steps have moved one.
    """

    tensor: ref[torch.Tensor]
    mask: ref[torch.Tensor]
    version: int | None
    site: Site
    before: torch.Tensor | None = None
    times: int = 0


class Decayed(Family):
    """Compares what a hook masks before and after each step with weight decay; keeps no parameter
    alive, and a copy of some elements while a step runs."""

    __slots__ = ("_by_hand", "_masked", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._masked: list[_Masked] = []
        # The memories that were multiplied by a mask since the latest step, by which, and where.
        self._by_hand: list[tuple[int | None, ref[torch.Tensor], int | None, Site]] = []

    def hooked(self, tensor: torch.Tensor, hook: Any, site: Site | None) -> None:
        """A tensor is given a hook for its gradient: one that multiplies it by a mask?"""
        is_looked_at = isinstance(tensor, torch.nn.Parameter) and tensor.device.type == "cpu"
        if site is None or not is_looked_at or tensor.numel() > _MOST_ELEMENTS:
            return
        for variable in variables_of(hook):
            mask = variable.value
            is_mask = isinstance(mask, torch.Tensor) and _is_mask(mask, tensor)
            if isinstance(mask, torch.Tensor) and is_mask and len(self._masked) < _MOST:
                self._masked.append(_Masked(ref(tensor), ref(mask), version_of(mask), site))

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built: with weight decay?"""
        if any(group.get("weight_decay") for group in optimizer.param_groups):
            self._told.record.told_use[Decayed] = self._used

    def _used(
        self, given: tuple[Any, ...], site: Site | None, operator: str, /, *, writes: bool
    ) -> None:
        """An operator takes these: does it multiply what may be a gradient by a mask?"""
        taken = tensors_in(given) if writes and operator == _MULTIPLYING else []
        if len(taken) != 2 or site is None or len(self._by_hand) >= _MOST:
            return
        gradient, mask = taken
        is_looked_at = mask.device.type == "cpu" and mask.numel() <= _MOST_ELEMENTS
        if is_looked_at and not gradient.requires_grad and _is_mask(mask, gradient):
            self._by_hand.append((storage_id(gradient), ref(mask), version_of(mask), site))

    def _take_up(self, held: list[torch.Tensor]) -> None:
        """Whose gradients were masked by the program itself?"""
        waiting, self._by_hand = self._by_hand, []
        for memory, mask, version, site in waiting:
            masked = (one for one in held if one.grad is not None and _is_in(one.grad, memory))
            tensor = next(masked, None)
            if tensor is None or len(self._masked) >= _MOST:
                continue
            if not any(one.tensor() is tensor for one in self._masked):
                self._masked.append(_Masked(ref(tensor), mask, version, site))

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step: with weight decay, and without a gradient there?"""
        if self._by_hand:
            self._take_up(step.held)
        for known in self._masked:
            tensor, mask = known.tensor(), known.mask()
            known.before = None
            if tensor is None or mask is None or version_of(mask) != known.version:
                continue
            if not _decays(step.optimizer, tensor):
                continue
            elements = _masked(tensor, mask)
            gradient = _masked(tensor.grad, mask) if tensor.grad is not None else None
            if gradient is not None and not bool(gradient.any()):
                known.before = elements.clone()

    def after_step(self, optimizer: Optimizer) -> None:
        """It has: which of them has it moved?"""
        for known in self._masked:
            tensor, mask, before = known.tensor(), known.mask(), known.before
            known.before = None
            if tensor is None or mask is None or before is None:
                continue
            known.times += not torch.equal(_masked(tensor, mask), before)
            if known.times == _AGAIN:
                self._told.tell(
                    Pitfall.FROZEN_MOVES,
                    known.site,
                    tensor=name_of(tensor, self._told.sites),
                    detail=DECAYED,
                    modified=stepped(self._told.here()),
                )


def _is_mask(mask: torch.Tensor, tensor: torch.Tensor) -> bool:
    """Whether a tensor keeps some elements of another one, and drops the rest."""
    if mask.dim() > tensor.dim() or mask.numel() < 2 or mask.requires_grad:
        return False
    sizes = zip(reversed(mask.shape), reversed(tensor.shape), strict=False)
    values = set(mask.detach().reshape(-1).tolist())
    return all(one in (1, size) for one, size in sizes) and values == {0, 1}


def _is_in(gradient: torch.Tensor, memory: int | None) -> bool:
    return memory is not None and storage_id(gradient) == memory


def _masked(tensor: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return tensor.detach()[mask.detach().expand(tensor.shape) == 0]


def _decays(optimizer: Optimizer, tensor: torch.Tensor) -> bool:
    groups = (group for group in optimizer.param_groups if group.get("weight_decay"))
    return any(one is tensor for group in groups for one in group["params"])
