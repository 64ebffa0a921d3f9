"""Checkpoints whose function does something else when backward runs it again.

checkpoint(lambda t: layer(t), x)               # `layer` is the last one of a loop by then
checkpoint(block, x, preserve_rng_state=False)  # drops other elements
checkpoint(block, x)                            # moves the statistics of a batch norm once more
"""

from __future__ import annotations

import random
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FunctionType, MethodType
from typing import Any
from weakref import ref

import torch
from torch.nn.modules.batchnorm import _BatchNorm

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import OTHER_GENERATOR, Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Walked
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.variables import Variable, content, variables_of
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.reading import is_a
from autograd_lint.live.sites import Site
from autograd_lint.live.statistics import batches_of

_MOST = 64  # checkpoints that wait for a backward
_MOST_OF_A_SITE = 8  # that are looked at
_HALF = 6  # digits of a momentum that somebody has written, and of one that is made up for


@dataclass(slots=True)
class _Checkpoint:
    """A call of `checkpoint` at a place, and the variables that its function reads. `generators`
    are the states of generators before it, `drawn` those that have moved meanwhile, `norms` the
    layers whose statistics have, with how often they had counted a batch by then."""

    site: Site
    reads: list[Variable]
    generators: dict[str, object]
    drawn: list[str] = field(default_factory=list)
    norms: list[tuple[ref[_BatchNorm], int | None]] = field(default_factory=list)


class Recomputed(Family):
    """Compares what a checkpointed function finds in forward and in backward.

    What the function reads is kept until the next backward begins, where it is needed anyway.
    """

    __slots__ = ("_running", "_seen", "_told", "_waiting", "_walk")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._running: list[tuple[object, _Checkpoint]] = []
        self._waiting: list[_Checkpoint] = []
        self._walk: tuple[Walk, list[tuple[_Checkpoint, _BatchNorm, int | None]]] | None = None
        self._seen: Counter[Site] = Counter()

    def begins(self, run: Any, *_: Any, **named: Any) -> None:
        """A checkpoint is about to run its function."""
        site = self._told.here()
        if site is None or not torch.is_grad_enabled() or len(self._waiting) >= _MOST:
            return
        self._seen[site] += 1
        if self._seen[site] <= _MOST_OF_A_SITE:
            generators = _generators(torchs=named.get("preserve_rng_state") is False)
            norms = [(ref(one), batches_of(one)) for one in _norms(run)]
            known = _Checkpoint(site, [*variables_of(run)], generators, norms=norms)
            self._running.append((run, known))

    def ends(self, _: Any, run: Any, *__: Any, **named: Any) -> None:
        """It has."""
        while self._running:
            begun, known = self._running.pop()
            if begun is run:
                after = _generators(torchs="torch" in known.generators)
                known.drawn = [
                    name for name, one in after.items() if one != known.generators.get(name, one)
                ]
                known.norms = [*_moved(known.norms)]
                known.generators = {}
                self._waiting.append(known)
                return

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins, which runs these functions again."""
        waiting, self._waiting = self._waiting, []
        counted = []
        for known in waiting:
            needed = Needed(place_of(walk.site), walk.name)
            for name in known.drawn:
                self._tell_of_draw(known, name, needed)
            for one in known.reads:
                if one.has_changed:
                    self._told.tell(Pitfall.BOUND_LATE, known.site, tensor=one.name, needed=needed)
            layers = ((layer(), count) for layer, count in known.norms)
            counted += [(known, one, count) for one, count in layers if one is not None]
        self._walk = (walk, counted) if counted else None

    def after_backward(self, walked: Walked) -> None:
        """It has returned: which layers have counted the batch once more?"""
        walk, self._walk = self._walk, None
        for known, layer, count in walk[1] if walk is not None else ():
            if batches_of(layer) != count:
                self._told.tell(
                    Pitfall.UPDATED_TWICE,
                    known.site,
                    operator=type(layer).__name__,
                    needed=Needed(place_of(walked.call.site), walked.call.name),
                )

    def _tell_of_draw(self, known: _Checkpoint, generator: str, needed: Needed) -> None:
        is_torchs = generator == "torch"
        self._told.tell(
            Pitfall.DRAWN_ANEW,
            known.site,
            operator="checkpoint" if is_torchs else generator,
            detail="" if is_torchs else OTHER_GENERATOR,
            needed=needed,
        )


def _generators(*, torchs: bool) -> dict[str, object]:
    """The states of the generators that a checkpoint does not put back; of torch's, where it was
    told not to."""
    is_alone = threading.active_count() == 1  # else another thread may draw meanwhile
    states: dict[str, object] = {"random": random.getstate()} if is_alone else {}
    numpy = sys.modules.get("numpy.random")
    if numpy is not None and is_alone:
        name, keys, *rest = numpy.get_state()
        states["numpy.random"] = (name, keys.tobytes(), *rest)
    if torchs:
        states["torch"] = torch.get_rng_state().numpy().tobytes()
    return states


def _norms(run: Any) -> Iterator[_BatchNorm]:
    """The batch normalizations that a function may move the statistics of."""
    owner = run.__self__ if is_a(run, MethodType) else run
    values = [content(one) for one in run.__closure__ or ()] if is_a(run, FunctionType) else []
    for module in (owner, *values):
        for layer in module.modules() if is_a(module, torch.nn.Module) else ():
            if isinstance(layer, _BatchNorm) and layer.training and not _is_made_up_for(layer):
                yield layer


def _moved(
    norms: list[tuple[ref[_BatchNorm], int | None]],
) -> Iterator[tuple[ref[_BatchNorm], int | None]]:
    """Those that have counted a batch since, and how often they have by now."""
    for known, before in norms:
        layer = known()
        if layer is not None and batches_of(layer) != before:
            yield known, batches_of(layer)


def _is_made_up_for(layer: _BatchNorm) -> bool:
    """Whether a layer takes a mean over all batches, or has the momentum that two moves need."""
    momentum = layer.momentum
    if momentum is None:
        return True
    both = 1 - (1 - momentum) ** 2
    return round(momentum, _HALF) != momentum and abs(both - round(both, _HALF)) < 1e-12
