"""Schedulers that go on for an optimizer in whose place another one steps.

scheduler = StepLR(optimizer, 10)
...
optimizer = Adam(model.parameters(), lr=1e-3)      # unfreezes a part, begins a second phase
for epoch in range(epochs):
    train(model, optimizer)
    scheduler.step()                               # changes the rate of the old one
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary, ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.told import Told, parameters_of
from autograd_lint.live.sites import Site

_AGAIN = 2  # calls of a scheduler since whose last one only another optimizer has stepped


@dataclass(slots=True)
class _Schedule:
    """What has stepped since a scheduler was called last: its own optimizer, or another one that
    was built later and has parameters of it; in how many rounds in a row only that."""

    own: bool = False
    other: ref[Optimizer] | None = None
    rounds: int = 0


class Schedulers(Family):
    """Follows the optimizers of the schedulers that the program calls; keeps none alive."""

    __slots__ = ("_built", "_schedules", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._built: WeakKeyDictionary[Optimizer, Site | None] = WeakKeyDictionary()
        self._schedules: WeakKeyDictionary[Any, _Schedule] = WeakKeyDictionary()

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built."""
        self._built[optimizer] = site

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step."""
        for scheduler, known in [*self._schedules.items()] if self._schedules else ():
            if scheduler.optimizer is step.optimizer:
                known.own = True
            elif known.other is None and self._follows(step, scheduler.optimizer):
                known.other = ref(step.optimizer)

    def scheduled(self, scheduler: Any, site: Site | None) -> None:
        """The program calls a scheduler."""
        known = self._schedules.setdefault(scheduler, _Schedule())
        other = known.other() if known.other is not None else None
        known.rounds = known.rounds + 1 if other is not None and not known.own else 0
        known.own, known.other = False, None
        if known.rounds >= _AGAIN and other is not None:
            place = self._built.get(other)
            built = Created(place.place, "optimizer") if place is not None else None
            self._told.tell(Pitfall.SCHEDULER_LEFT_BEHIND, site, built=built)

    def _follows(self, step: Step, old: Any) -> bool:
        """Whether an optimizer has come after another one, for parameters of that; one that a
        wrapper of optimizers runs shares the groups of the wrapper."""
        if not isinstance(old, Optimizer) or old not in self._built:
            return False
        ages = list(self._built)
        if step.optimizer not in ages or ages.index(step.optimizer) < ages.index(old):
            return False
        groups = {id(group) for group in step.optimizer.param_groups}
        own = {id(one) for one in step.held}
        is_wrapped = any(id(group) in groups for group in old.param_groups)
        return not is_wrapped and any(id(one) in own for one in parameters_of(old))
