"""Optimizers that clear gradients in each iteration and never step.

for optimizer in optimizers:
    optimizer.zero_grad()
loss.backward()
optimizers[0].step()               # and the others?
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, sum_of
from autograd_lint.live.sites import Site

_TIMES = 3  # that gradients are cleared which nothing has used


@dataclass(slots=True)
class _Cleared:
    """An optimizer that has not stepped: one of its leaves that got a gradient, what that is
    called, its sum, what has filled it, and how often it was cleared since then."""

    optimizer: ref[Optimizer]
    leaf: Leaf
    name: str | None
    value: float
    filled: Site | None
    times: int = 0


class Unstepped(Family):
    """Counts for optimizers without a step how often they clear what nothing has used."""

    __slots__ = ("_cleared", "_gradients", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._cleared: dict[int, _Cleared] = {}

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """Gradients are about to be cleared, by an optimizer perhaps."""
        if not isinstance(owner, Optimizer) or self._gradients.steps_of(owner):
            return
        waiting = next((one for one in held if self._gradients.leaf(one).is_waiting), None)
        known = self._cleared.get(id(owner))
        if waiting is None:
            return
        if known is None or known.optimizer() is not owner:
            leaf, name = self._gradients.leaf(waiting), name_of(waiting, self._told.sites)
            known = _Cleared(ref(owner), leaf, name, sum_of([waiting]), leaf.filled)
            self._cleared[id(owner)] = known
        known.times += known.leaf.is_waiting

    def before_step(self, step: Step) -> None:
        """An optimizer steps."""
        self._cleared.pop(id(step.optimizer), None)

    def trained(self) -> None:
        """The program has run to its end: whose gradients has nobody used?"""
        for known in self._cleared.values() if self._gradients.have_stepped() else ():
            tensor = known.leaf.tensor()
            is_moved = tensor is None or sum_of([tensor]) != known.value
            if known.times >= _TIMES and not is_moved:
                self._told.tell(
                    Pitfall.NEVER_STEPPED,
                    known.filled,
                    tensor=known.name,
                    built=self._gradients.built_with(tensor) if tensor is not None else None,
                )
