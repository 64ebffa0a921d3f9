"""Optimizers that stand in each other's way: two that step with one gradient, and one that is made
anew for each step."""

from __future__ import annotations

from dataclasses import dataclass
from operator import is_
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.leaves import State, state_of
from autograd_lint.live.pitfalls.told import Told, parameters_of, stepped
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import version_of
from autograd_lint.live.sites import Site

_TWICE = 2  # rounds in which two have stepped with one gradient
_ANEW = 3  # optimizers in a row that have made one step each


@dataclass(slots=True)
class _Use:
    """A step that has used a gradient since the latest backward: of which optimizer, where, the
    gradient as it was, and the version of the parameter before."""

    optimizer: ref[Optimizer]
    site: Site | None
    gradient: State | None
    version: int | None


@dataclass(slots=True)
class _Line:
    """Optimizers that one place has made of the same parameters: the latest, where and how often it
    has stepped, whether it has a state, which versions it has left, and how many came before it
    that made one step."""

    latest: ref[Optimizer]
    held: tuple[ref[torch.Tensor], ...]
    site: Site | None = None
    steps: int = 0
    remembers: bool = False
    left: tuple[int | None, ...] = ()
    before: int = 0


class Rivals(Family):
    """Follows which optimizers step with which gradients; keeps none alive."""

    __slots__ = ("_built", "_lines", "_running", "_times", "_told", "_uses")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._built: dict[int, tuple[ref[Optimizer], Site | None]] = {}
        self._lines: dict[Site, _Line] = {}
        self._running: list[int] = []  # an optimizer may call another one
        self._uses: dict[int, _Use] = {}
        self._times: dict[tuple[int, int], int] = {}

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built: once more at the same place, of what the last one has left?"""
        self._built[id(optimizer)] = ref(optimizer), site
        if site is None:
            return
        known = self._lines.get(site)
        line = self._lines[site] = _Line(ref(optimizer), tuple(map(ref, held)))
        if known is None or known.steps != 1 or not known.remembers:
            return
        is_same = len(held) == len(known.held) and all(map(is_, known.held, line.held))
        if is_same and known.left == tuple(map(version_of, held)):
            line.before = known.before + 1
        if line.before >= _ANEW:
            name = type(optimizer).__name__
            self._told.tell(
                Pitfall.RENEWED,
                site,
                operator=name,
                modified=stepped(known.site),
                noted=self._told.callers(1),
            )

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: no step runs, even where one has failed, and gradients are
        others from now on."""
        self._running.clear()
        self._uses.clear()

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use the gradients of its parameters, `held`."""
        optimizer, held, site = step
        self._running.append(id(optimizer))
        if len(self._built) < _TWICE or len(self._running) > 1:
            return
        others: dict[int, _Use] = {}
        for tensor in held:
            gradient, use = state_of(tensor), self._uses.get(id(tensor))
            if gradient is None:
                continue
            if use is None:
                self._uses[id(tensor)] = _Use(ref(optimizer), site, gradient, version_of(tensor))
            elif use.gradient == gradient and use.version != version_of(tensor):
                others[id(use.optimizer())] = use
        for key, use in others.items():
            if use.optimizer() not in (None, optimizer):
                self._used_again((key, id(optimizer)), use, site)

    def _used_again(self, key: tuple[int, int], use: _Use, site: Site | None) -> None:
        """An optimizer uses gradients by which another one has moved their parameters."""
        self._times[key] = self._times.get(key, 0) + 1
        if self._times[key] == _TWICE:
            _, built = self._built.get(key[1], (None, None))
            self._told.tell(
                Pitfall.STEPPED_TWICE,
                site,
                built=None if built is None else Created(built.place, "optimizer"),
                needed=Needed(place_of(use.site), "step"),
            )

    def after_step(self, optimizer: Optimizer) -> None:
        """It has."""
        if self._running and self._running[-1] == id(optimizer):
            self._running.pop()
        _, built = self._built.get(id(optimizer), (None, None))
        line = self._lines.get(built) if built is not None else None
        if line is not None and line.latest() is optimizer:
            line.steps += 1
            if line.steps == 1:
                line.site = self._told.here()
                line.remembers = _remembers(optimizer)
                line.left = tuple(map(version_of, parameters_of(optimizer)))


def _remembers(optimizer: Optimizer) -> bool:
    """Whether a step has left a state of its own for the next one."""
    kept = (value for state in optimizer.state.values() for value in state.values())
    return any(isinstance(one, torch.Tensor) for one in kept)
