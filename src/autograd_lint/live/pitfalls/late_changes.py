"""Gradients that the program changes after the step that uses them, and clippings of none at all.

optimizer.step()
for p in model.parameters():
    p.grad.clamp_(-1, 1)                # cleared before the next backward
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf, state_of
from autograd_lint.live.pitfalls.told import Told, stepped, tensors
from autograd_lint.live.private import storage_id
from autograd_lint.live.sites import Site

_AGAIN = 2  # steps after which that was done, once it was seen
_ROUNDS = 3  # clippings that found no gradient
_CHANGING = frozenset(
    {
        "_foreach_add_", "_foreach_clamp_max_", "_foreach_clamp_min_", "_foreach_div_",
        "_foreach_mul_", "add_", "clamp_", "clamp_max_", "clamp_min_", "div_", "mul_",
        "nan_to_num_", "sub_",
    }
)  # fmt: skip
_CLIPPING = "clip_grad_norm_"


class LateChanges(Family):
    """Follows one gradient that was found changed when it was cleared after its step."""

    __slots__ = ("_changed", "_empty", "_followed", "_found", "_gradients", "_step", "_times",
                 "_told")  # fmt: skip

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._followed: ref[torch.Tensor] | None = None
        self._step: tuple[int, Site | None] | None = None  # the gradient's memory, the latest step
        self._changed: Site | None = None
        self._times: Counter[Site] = Counter()
        self._empty: Counter[Site] = Counter()  # clippings that found nothing
        self._found: set[Site] = set()  # others

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine is about to add to gradients."""
        self._step = self._changed = None

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use gradients."""
        followed = self._followed() if self._followed is not None else None
        self._step = self._changed = None
        is_held = followed is not None and any(one is followed for one in step.held)
        if followed is not None and followed.grad is not None and is_held:
            self._step = storage_id(followed.grad) or 0, step.site

    def wrote(self, tensor: torch.Tensor, operator: str, site: Site) -> None:
        """The program has written to a tensor: to the gradient that a step has used?"""
        if self._step is not None and storage_id(tensor) == self._step[0]:
            self._changed = site if operator in _CHANGING else None

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """Gradients are about to be cleared: as their step has used them?"""
        first = next((one for one in held if one.grad is not None), None)
        if first is None or not self._is_changed(self._gradients.leaf(first), first):
            return
        self._followed = ref(first)
        if self._changed is None or self._step is None:
            return
        self._times[self._changed] += 1
        if self._times[self._changed] == _AGAIN:
            modified = stepped(self._step[1])
            self._told.tell(Pitfall.CLIP_IN_VAIN, self._changed, modified=modified)

    def _is_changed(self, leaf: Leaf, tensor: torch.Tensor) -> bool:
        return leaf.used is not None and leaf.used != state_of(tensor)

    def clipping(self, given: Any, limit: Any, site: Site | None) -> None:
        """Gradients are about to be clipped: are there any?"""
        held = tensors(given) if isinstance(given, (list, tuple)) else []
        if held and site is not None:
            if any(one.grad is not None for one in held):
                self._found.add(site)
            else:
                self._empty[site] += 1

    def trained(self) -> None:
        """The program has run to its end: what has never had a gradient to clip?"""
        for site in self._never(self._empty):
            self._told.tell(Pitfall.CLIP_IN_VAIN, site, operator=_CLIPPING)

    def _never(self, sites: Iterable[Site]) -> list[Site]:
        return [one for one in sites if one not in self._found and self._empty[one] >= _ROUNDS]
