"""Gradients of a loss that a `GradScaler` has scaled, clipped or used before they are unscaled."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from types import CodeType, FunctionType
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import RESCALED, Pitfall
from autograd_lint.live.naming import call_at
from autograd_lint.live.pitfalls.family import Family, Step, Walked
from autograd_lint.live.pitfalls.told import Told, parameters_of, tensors
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_AGAIN = 2  # steps between whose loss and which the scale was chosen anew
# What bounds values by numbers that do not grow with the scale.
_BOUNDING = frozenset({"clamp", "clamp_", "clamp_max", "clamp_max_", "clamp_min", "clamp_min_"})


class Scaled(Family):
    """Knows which leaves hold scaled gradients, by identity; keeps nothing alive.

    Operators are only looked at while some do, or while hooks of leaves are given scaled gradients,
    and the program has not asked for the scale.
    """

    __slots__ = (
        "_hooks", "_is_asked", "_is_running", "_leaves", "_losses", "_of", "_rescaled", "_told",
        "_updated",
    )  # fmt: skip

    def __init__(self, told: Told) -> None:
        self._told = told
        self._losses: dict[int, ref[torch.Tensor]] = {}
        self._leaves: dict[int, ref[torch.Tensor]] = {}
        self._of: dict[int, tuple[int, int]] = {}  # by leaf or loss: the scaler, and its updates
        self._updated: dict[int, tuple[int, Site | None]] = {}  # how often each was, and where last
        self._rescaled: Counter[Site] = Counter()
        self._hooks: set[CodeType] = set()  # that are given the gradients of leaves
        self._is_asked = False
        self._is_running = False  # a backward whose gradients are scaled

    @property
    def is_used(self) -> bool:
        """Whether a scaler has scaled anything."""
        return bool(self._losses)

    def scaled(self, scaler: Any, loss: Any) -> None:
        """A scaler has made this of a loss."""
        if isinstance(loss, torch.Tensor) and scaler.is_enabled() and scaler.get_scale() != 1:
            self._losses[id(loss)] = ref(loss)
            self._of[id(loss)] = id(scaler), self._updates(id(scaler))

    def updated(self, scaler: Any, site: Site | None) -> None:
        """A scaler is about to choose its scale anew."""
        self._updated[id(scaler)] = self._updates(id(scaler)) + 1, site

    def _updates(self, scaler: int) -> int:
        return self._updated.get(scaler, (0, None))[0]

    def hooked(self, tensor: torch.Tensor, hook: Any, site: Site | None) -> None:
        """The program gives a tensor a hook for its gradient."""
        function = getattr(hook, "__func__", hook)
        if tensor.is_leaf and isinstance(function, FunctionType):
            self._hooks.add(function.__code__)

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: are hooks given scaled gradients?"""
        if self._losses and self._hooks and not self._is_asked and self._has_scaled(walk.roots):
            self._is_running = True
            self._told.record.told_use[Scaled] = self._bounds

    def unscaling(self, scaler: Any, optimizer: Optimizer) -> None:
        """A scaler divides the gradients of an optimizer: by the scale that their loss had?"""
        held = parameters_of(optimizer)
        known = [self._of[id(one)] for one in held if id(one) in self._leaves]
        times, site = self._updated.get(id(scaler), (0, None))
        if site is not None and any(one[0] == id(scaler) and one[1] < times for one in known):
            self._rescaled[site] += 1
            if self._rescaled[site] == _AGAIN:
                call = call_at(here.place) if (here := self._told.here()) is not None else None
                name = ast.unparse(call.args[0]) if call is not None and call.args else None
                self._told.tell(Pitfall.SCALED_GRADIENTS, site, tensor=name, detail=RESCALED)
        self._cleared(held)

    def after_backward(self, walked: Walked) -> None:
        """Backward from these outputs has added to gradients."""
        self._is_running = False
        if self._losses and self._has_scaled(walked.roots):
            self._leaves.update((id(one), ref(one)) for one in walked.tensors)
            of = next(self._of[id(one)] for one in walked.roots if id(one) in self._of)
            self._of.update((id(one), of) for one in walked.tensors)
            if not self._is_asked:
                self._told.record.told_use[Scaled] = self._bounds

    def _has_scaled(self, roots: Iterable[torch.Tensor]) -> bool:
        """Whether any of these is what a scaler has made of a loss."""
        known = ((root, self._losses.get(id(root))) for root in roots)
        return any(one is not None and one() is root for root, one in known)

    def before_step(self, step: Step) -> None:
        """A step is about to use gradients, unless it divides them by the scale itself."""
        if getattr(step.optimizer, "grad_scale", None) is None:
            self._used(step.held, step.site)

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """These gradients are about to be cleared."""
        self._cleared(held)

    def clipping(self, given: Any, limit: Any, site: Site | None) -> None:
        """Gradients are about to be clipped."""
        if isinstance(given, (list, tuple)):
            self._used(tensors(given), site)

    def _cleared(self, parameters: Iterable[torch.Tensor]) -> None:
        """These gradients are unscaled, or gone."""
        if self._leaves:
            for one in parameters:
                self._leaves.pop(id(one), None)
            if not self._leaves:
                self._told.record.told_use.pop(Scaled, None)

    def scale_asked(self) -> None:
        """The program asks for the scale: it may bound gradients by what it makes of that."""
        self._is_asked = True
        self._told.record.told_use.pop(Scaled, None)

    def _used(self, parameters: Iterable[torch.Tensor], site: Site | None) -> None:
        """These gradients are clipped, or a step uses them as they are."""
        if self._leaves and any(id(one) in self._leaves for one in parameters):
            self._told.tell(Pitfall.SCALED_GRADIENTS, site)

    def _bounds(
        self, given: tuple[Any, ...], site: Site | None, operator: str, /, *, writes: bool
    ) -> None:
        """An operator takes these: does it bound a gradient that is scaled?"""
        bounded = tensors_in(given[:1]) if operator in _BOUNDING else []
        if not bounded or len(tensors_in(given)) > 1 or not any(given[1:]):
            return  # by a tensor, or by zero alone
        if self._is_running:
            site = self._told.here()
            if site is not None and site.code in self._hooks:
                self._told.tell(Pitfall.SCALED_GRADIENTS, site, operator=operator)
            return
        held = (leaf() for leaf in self._leaves.values())
        gradients = {
            storage_id(one.grad) for one in held if one is not None and one.grad is not None
        }
        if storage_id(bounded[0]) in gradients - {None}:
            self._told.tell(Pitfall.SCALED_GRADIENTS, site, operator=operator)
