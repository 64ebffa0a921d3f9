"""Modules that nobody trains, and that compute in training mode in each step of another one.

with torch.no_grad():
    wanted = teacher(x)                  # drops other elements each time, and learns its batches
loss(student(x), wanted).backward()
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from weakref import WeakKeyDictionary

import torch
from torch.nn.modules.batchnorm import _BatchNorm
from torch.optim import Optimizer

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import TEACHER, Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.cuts import Cuts
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import modules_at_hand
from autograd_lint.live.pitfalls.targets import Targets
from autograd_lint.live.pitfalls.told import Told, sum_of
from autograd_lint.live.private import storage_id
from autograd_lint.live.sites import Site
from autograd_lint.live.statistics import batches_of

_STEPS = 3  # before each of which it has computed
_MOST_OPTIMIZERS = 8  # at the first step of which they are looked for


@dataclass(slots=True)
class _Teacher:
    """A layer of such a module: its weight, with how many gradients that had and a sum of it; how
    often it had counted a batch at the latest step, where it computes and which step goes by that,
    and how many did. `is_over` says that it was trained, moved or evaluated."""

    leaf: Leaf
    gradients: int
    value: float
    batches: int | None
    site: Site | None = None
    step: Site | None = None
    times: int = 0
    is_over: bool = False


class Teachers(Family):
    """Follows one batch normalization of each such module, for that counts what it is given; keeps
    no module alive. Copies of what is trained are left alone, which may be written seldom."""

    __slots__ = ("_cuts", "_followed", "_gradients", "_known", "_optimizers", "_targets", "_told")

    def __init__(self, told: Told, gradients: Gradients, targets: Targets, cuts: Cuts) -> None:
        self._told = told
        self._gradients = gradients
        self._targets = targets
        self._cuts = cuts
        self._optimizers: WeakKeyDictionary[Optimizer, None] = WeakKeyDictionary()
        self._followed: WeakKeyDictionary[_BatchNorm, _Teacher] = WeakKeyDictionary()
        self._known: list[_Teacher] = []  # also those of modules that are gone

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step: what has computed for that?"""
        for layer, known in [*self._followed.items()] if self._followed else ():
            _follow(layer, known, step, self._told)
            if known.times == _STEPS:
                known.is_over |= id(layer.weight) in self._gradients.owned()
        if step.optimizer not in self._optimizers and len(self._optimizers) < _MOST_OPTIMIZERS:
            self._optimizers[step.optimizer] = None
            for layer in self._candidates(step):
                if layer not in self._followed:
                    leaf = self._gradients.leaf(layer.weight)
                    value = sum_of([layer.weight])
                    known = _Teacher(leaf, leaf.backwards, value, batches_of(layer))
                    self._followed[layer] = known
                    self._known.append(known)

    def _candidates(self, step: Step) -> Iterator[_BatchNorm]:
        own = {id(one) for one in step.held}
        trained = self._trained()
        for module in modules_at_hand(self._told.sites):
            held = [*module.parameters()]
            copied = (self._targets.copied_from(one) for one in held)
            is_beside = any(id(one) in own for one in held) or any(
                map(trained.intersection, copied)
            )
            layers = (one for one in module.modules() if isinstance(one, _BatchNorm))
            layer = next(layers, None) if not is_beside else None
            if layer is not None and layer.training and _is_looked_at(layer.weight):
                yield layer

    def _trained(self) -> set[int | None]:
        """The memory of what optimizers have, and of what that was copied from."""
        leaves = (leaf.tensor() for leaf in self._gradients.leaves() if leaf.owned)
        owned = [one for one in leaves if one is not None]
        copied = (self._targets.copied_from(one) for one in owned)
        return {*map(storage_id, owned), *chain.from_iterable(copied)}

    def trained(self) -> None:
        """The program has run to its end."""
        for known in self._known:
            tensor = known.leaf.tensor()
            known.is_over |= tensor is not None and sum_of([tensor]) != known.value
            if known.times >= _STEPS and not known.is_over:
                needed = Needed(place_of(known.step), "step")
                self._told.tell(
                    Pitfall.TRAINING_MODE,
                    known.site,
                    detail=TEACHER,
                    needed=needed,
                    noted=self._cuts.switched_off(known.site) if known.site is not None else (),
                )


def _follow(layer: _BatchNorm, known: _Teacher, step: Step, told: Told) -> None:
    tensor, batches = known.leaf.tensor(), batches_of(layer)
    is_held = any(one is tensor for one in step.held)
    is_same = tensor is not None and sum_of([tensor]) == known.value
    is_trained = known.leaf.backwards > known.gradients or is_held or not is_same
    known.is_over |= is_trained or not layer.training
    counted = layer.num_batches_tracked
    if batches != known.batches and counted is not None:
        writes = told.record.writes.to(storage_id(counted) or 0)
        site = next((one.site for one in reversed(writes) if one.site is not None), None)
        known.site, known.step = known.site or site, known.step or step.site
        known.batches, known.times = batches, known.times + 1


def _is_looked_at(weight: torch.Tensor | None) -> bool:
    return weight is not None and weight.requires_grad and weight.device.type == "cpu"
