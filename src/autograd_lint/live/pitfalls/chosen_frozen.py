"""Factors of zeros that a choice by name leaves frozen: what they add stays zero.

for name, p in model.named_parameters():
    p.requires_grad_("lora_" in name)           # the adapters are called `loraA` and `loraB`
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.pitfalls import ZEROS_FROZEN, Pitfall
from autograd_lint.live.graph import PRODUCTS
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_MOST = 64  # leaves of a place that are remembered


@dataclass(slots=True)
class _Choice:
    """A place that freezes some leaves and not others: those of zeros among the frozen ones."""

    zeros: list[ref[torch.Tensor]] = field(default_factory=list)
    is_one: bool = False


class ChosenFrozen(Family):
    """Knows which matrices of zeros were frozen where others were told to require grad."""

    __slots__ = ("_choices", "_factors", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._choices: dict[Site, _Choice] = {}
        self._factors: set[int | None] = set()  # memories that products were computed with

    def flagged(self, tensor: torch.Tensor, site: Site | None) -> None:
        """A tensor is about to be told to require grad."""
        if site is not None and isinstance(tensor, torch.nn.Parameter):
            self._choices.setdefault(site, _Choice()).is_one = True

    def froze(self, tensor: torch.Tensor, site: Site | None) -> None:
        """A leaf is about to be told not to."""
        if site is None or not isinstance(tensor, torch.nn.Parameter) or not _is_zero(tensor):
            return
        zeros = self._choices.setdefault(site, _Choice()).zeros
        if len(zeros) < _MOST:
            zeros.append(ref(tensor))
            self._told.record.tell_of(PRODUCTS, self._used)

    def _used(self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool) -> None:
        """A product is computed of these."""
        self._factors.update(map(storage_id, tensors_in(given)))

    def trained(self) -> None:
        """The program has run to its end: which of them are still frozen, and zero?"""
        for site, known in self._choices.items() if self._factors else ():
            left = (one for zeros in known.zeros if (one := zeros()) is not None)
            dead = [one for one in left if not one.requires_grad and _is_zero(one)]
            used = [one for one in dead if storage_id(one) in self._factors]
            if known.is_one and used:
                name = name_of(used[0], self._told.sites)
                self._told.tell(Pitfall.ADAPTER_FROZEN, site, tensor=name, detail=ZEROS_FROZEN)


def _is_zero(tensor: torch.Tensor) -> bool:
    is_looked_at = tensor.dim() > 1 and tensor.device.type == "cpu"
    return is_looked_at and not bool(tensor.detach().any())
