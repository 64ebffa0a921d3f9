"""Gradients that `DistributedDataParallel` never averages, for its own forward is not called, or
only where it is told not to.

loss = criterion(ddp.module(x), y)      # or `with ddp.no_sync():` around all micro batches
loss.backward()
optimizer.step()
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import ref

import torch
from torch.nn.parallel import DistributedDataParallel

from autograd_lint.engine.pitfalls import NOT_AVERAGED, Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.sites import Site

_AGAIN = 3  # steps with such gradients, and none with others
_COLLECTIVES = ("allreduce_", "allreduce_coalesced_", "allgather_", "_allgather_base_")


@dataclass(slots=True)
class _Replica:
    """A wrapper: one of its leaves, whether it will average the next gradients, how many steps used
    some that it had not, and which call of the engine had filled these. `is_over` says that it has
    averaged some, or the program itself."""

    wrapper: ref[DistributedDataParallel]
    leaf: Leaf
    is_over: bool = False
    steps: int = 0
    filled: Site | None = None
    step: Site | None = None


class Unsynchronised(Family):
    """Knows the wrappers whose forward has averaged nothing as yet; keeps none alive."""

    __slots__ = ("_gradients", "_replicas", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._replicas: list[_Replica] = []

    def replicated(self, wrapper: DistributedDataParallel) -> None:
        """A module was wrapped."""
        first = next((one for one in wrapper.parameters() if one.requires_grad), None)
        if first is not None:
            self._replicas.append(_Replica(ref(wrapper), self._gradients.leaf(first)))
            self._told.record.tell_of(_COLLECTIVES, self._averaged)

    def called(self, wrapper: DistributedDataParallel) -> None:
        """The forward of a wrapper is called."""
        if torch.is_grad_enabled() and wrapper.require_backward_grad_sync:
            for known in self._replicas:
                known.is_over |= known.wrapper() is wrapper

    def _averaged(
        self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool
    ) -> None:
        """The program averages something itself."""
        for known in self._replicas:
            known.is_over = True

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step: with gradients that were not averaged?"""
        for known in self._replicas:
            leaf = known.leaf
            if leaf.is_waiting and any(one is leaf.tensor() for one in step.held):
                known.steps += 1
                known.filled, known.step = leaf.filled, step.site

    def trained(self) -> None:
        """The program has run to its end: who has never averaged anything?"""
        for known in self._replicas:
            if known.steps >= _AGAIN and not known.is_over:
                self._told.tell(
                    Pitfall.REPLICA_BYPASSED,
                    known.filled,
                    detail=NOT_AVERAGED,
                    modified=stepped(known.step),
                )
