"""Frozen batch normalizations whose statistics move: in training mode ever since they were frozen,
or since a `train()` undid their `eval()`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import torch
from torch.nn.modules.batchnorm import _BatchNorm

from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import MODE_UNDONE, Pitfall
from autograd_lint.live.failure import maker_of, place_of
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.names import modules_at_hand
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site
from autograd_lint.live.statistics import batches_of

_STEPS = 2  # during which the statistics have moved, and the parameters have not
_MOST_OPTIMIZERS = 8  # at the first step of which frozen layers are looked for


@dataclass(slots=True)
class _Moving:
    """A layer: where it was frozen or made, or what undid that it was evaluated, and where it was;
    how often its count of batches was written by the latest step, a sum of its weight, and how many
    steps found more. `is_over` says that it was unfrozen, trained, or in evaluation mode at a step,
    `is_used` that it was evaluated, by the statistics that had moved until then."""

    at: Site | None
    evaluated: Site | None
    batches: int | None
    weight: float
    steps: int = 0
    is_over: bool = False
    is_used: bool = False


class Drift(Family):
    """Follows what is put into a mode, and what is frozen in training mode; keeps no module alive.

    A layer that follows another network, or is unfrozen later, is only known at the end of a run.
    """

    __slots__ = (
        "_evaluated", "_frozen", "_gradients", "_known", "_optimizers", "_told", "_trained",
        "_undone",
    )  # fmt: skip

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._optimizers = 0
        self._evaluated: WeakKeyDictionary[torch.nn.Module, Site | None] = WeakKeyDictionary()
        self._trained: WeakKeyDictionary[torch.nn.Module, Site | None] = WeakKeyDictionary()
        self._undone: WeakKeyDictionary[_BatchNorm, _Moving] = WeakKeyDictionary()
        self._frozen: WeakKeyDictionary[_BatchNorm, _Moving] = WeakKeyDictionary()
        self._known: list[_Moving] = []  # those of frozen layers

    def put(self, module: torch.nn.Module, training: bool) -> None:
        """The program puts a module into a mode."""
        site = self._told.here()
        if not training:
            self._evaluated[module] = site
            for layer in _frozen(module) if self._undone or self._frozen else ():
                self._undone.pop(layer, None)
                if layer in self._frozen:
                    self._frozen[layer].is_used |= self._frozen[layer].steps > 0
            return
        self._evaluated.pop(module, None)
        self._trained[module] = site
        parts = set(module.modules()) if self._evaluated else set()
        for part, evaluated in list(self._evaluated.items()):
            for layer in _frozen(part) if part in parts else ():
                weight = _sum(layer)
                if layer not in self._undone and weight is not None:
                    self._undone[layer] = _Moving(site, evaluated, batches_of(layer), weight)

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step, for the first time perhaps."""
        is_first = not self._gradients.steps_of(step.optimizer)
        if is_first and self._optimizers < _MOST_OPTIMIZERS:
            self._optimizers += 1
            self._follow_frozen()
        for layer, known in [*self._frozen.items()] if self._frozen else ():
            if not _is_still(layer):
                known.is_over = True
                del self._frozen[layer]
            elif _moves(layer, known) and known.steps <= _STEPS:
                known.is_over = _sum(layer) != known.weight
        for layer, known in [*self._undone.items()] if self._undone else ():
            moved = _is_still(layer) and _moves(layer, known)
            if moved and known.steps == _STEPS and _sum(layer) == known.weight:
                self._told.tell(
                    Pitfall.STATISTICS_DRIFT,
                    known.at,
                    detail=MODE_UNDONE,
                    built=Created(place_of(known.evaluated), "eval"),
                    needed=Needed(place_of(step.site), "step"),
                )

    def trained(self) -> None:
        """The program has run to its end: which layers are still frozen, and were in training mode
        at each step? At the end they may be evaluated with all the rest."""
        for layer, known in self._frozen.items():
            is_same = _is_frozen(layer) and _sum(layer) == known.weight
            known.is_over |= layer in self._undone or not is_same
        there = [id(known) for known in self._frozen.values()]
        for known in self._known:  # what is gone and was not evaluated has harmed nobody
            is_told = known.steps >= _STEPS and not known.is_over
            if is_told and (known.is_used or id(known) in there):
                self._told.tell(Pitfall.STATISTICS_DRIFT, known.at)

    def _follow_frozen(self) -> None:
        """The layers in frozen parts that the program holds and has in training mode."""
        for module in modules_at_hand(self._told.sites):
            for layer in _in_frozen_parts(module):
                weight = _sum(layer) if layer.training and layer not in self._frozen else None
                if weight is not None:
                    known = _Moving(self._cause(layer), None, batches_of(layer), weight)
                    self._frozen[layer] = known
                    self._known.append(known)

    def _cause(self, layer: _BatchNorm) -> Site | None:
        """Where a layer was frozen; where that is not known, what put it into training mode, or
        where it was made."""
        frozen = self._gradients.where_frozen(layer.weight)
        if frozen is not None:
            return frozen
        trained = (site for one, site in self._trained.items() if layer in one.modules())
        made = maker_of(layer.weight, self._told.record)
        return next(trained, None) or (made.site if made is not None else None)


def _frozen(module: torch.nn.Module) -> Iterator[_BatchNorm]:
    """The frozen batch normalizations in a module that keep statistics."""
    for layer in module.modules():
        if (
            isinstance(layer, _BatchNorm)
            and layer.num_batches_tracked is not None
            and _is_frozen(layer)
        ):
            yield layer


def _in_frozen_parts(module: torch.nn.Module) -> Iterator[_BatchNorm]:
    """The batch normalizations in what is frozen altogether: one that is frozen alone may be there
    to learn its statistics."""
    for part in module.modules():
        layers = [*_frozen(part)] if not any(one.requires_grad for one in part.parameters()) else []
        own = {id(one) for layer in layers for one in layer.parameters(recurse=False)}
        if layers and any(id(one) not in own for one in part.parameters()):
            yield from layers


def _is_frozen(layer: _BatchNorm) -> bool:
    return layer.weight is not None and not layer.weight.requires_grad


def _is_still(layer: _BatchNorm) -> bool:
    """Whether a layer is frozen and in training mode as before."""
    return layer.training and _is_frozen(layer)


def _moves(layer: _BatchNorm, known: _Moving) -> bool:
    """Whether a layer has counted batches since the latest step that found more."""
    batches = batches_of(layer)
    if batches == known.batches:
        return False
    known.batches, known.steps = batches, known.steps + 1
    return True


def _sum(layer: _BatchNorm) -> float | None:
    """What tells whether the weight has changed; None on a GPU, where to look means to wait."""
    weight = layer.weight.detach()
    return weight.double().sum().item() if weight.device.type == "cpu" else None
