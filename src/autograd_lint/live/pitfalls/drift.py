"""Frozen batch normalizations that the program put into evaluation mode, and a `train()` undid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import torch
from torch.nn.modules.batchnorm import _BatchNorm

from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import MODE_UNDONE, Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import version_of
from autograd_lint.live.sites import Site

_STEPS = 2  # during which the statistics have moved, and the parameters have not


@dataclass(slots=True)
class _Undone:
    """A layer: where it was put into evaluation mode, what undid that, how often its count of
    batches was written by the latest step, a sum of its weight, and how many steps found more."""

    evaluated: Site | None
    undone: Site | None
    batches: int | None
    weight: float
    steps: int = 0


class Drift:
    """Follows what is put into a mode; keeps no module alive."""

    __slots__ = ("_evaluated", "_told", "_undone")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._evaluated: WeakKeyDictionary[torch.nn.Module, Site | None] = WeakKeyDictionary()
        self._undone: WeakKeyDictionary[torch.nn.Module, _Undone] = WeakKeyDictionary()

    def put(self, module: torch.nn.Module, training: bool) -> None:
        """The program puts a module into a mode."""
        site = self._told.here()
        if not training:
            self._evaluated[module] = site
            for layer in _frozen(module) if self._undone else ():
                self._undone.pop(layer, None)
            return
        self._evaluated.pop(module, None)
        parts = set(module.modules()) if self._evaluated else set()
        for part, evaluated in list(self._evaluated.items()):
            for layer in _frozen(part) if part in parts else ():
                weight = _sum(layer)
                if layer not in self._undone and weight is not None:
                    self._undone[layer] = _Undone(evaluated, site, _batches(layer), weight)

    def before_step(self, site: Site | None) -> None:
        """An optimizer is about to step."""
        for layer, known in list(self._undone.items()):
            if not isinstance(layer, _BatchNorm) or not (layer.training and _is_frozen(layer)):
                continue
            batches = _batches(layer)
            if batches == known.batches:
                continue
            known.batches, known.steps = batches, known.steps + 1
            if known.steps == _STEPS and _sum(layer) == known.weight:
                self._told.tell(
                    Pitfall.STATISTICS_DRIFT,
                    known.undone,
                    detail=MODE_UNDONE,
                    built=Created(place_of(known.evaluated), "eval"),
                    needed=Needed(place_of(site), "step"),
                )


def _frozen(module: torch.nn.Module) -> Iterator[_BatchNorm]:
    """The frozen batch normalizations in a module that keep statistics."""
    for layer in module.modules():
        if (
            isinstance(layer, _BatchNorm)
            and layer.num_batches_tracked is not None
            and _is_frozen(layer)
        ):
            yield layer


def _is_frozen(layer: _BatchNorm) -> bool:
    return layer.weight is not None and not layer.weight.requires_grad


def _batches(layer: _BatchNorm) -> int | None:
    """How often a layer has counted a batch: its mean is written without that being counted."""
    counted = layer.num_batches_tracked
    return version_of(counted) if counted is not None else None


def _sum(layer: _BatchNorm) -> float | None:
    """What tells whether the weight has changed; None on a GPU, where to look means to wait."""
    weight = layer.weight.detach()
    return weight.double().sum().item() if weight.device.type == "cpu" else None
