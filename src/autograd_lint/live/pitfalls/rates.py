"""Optimizers whose rate is zero in every step, though they were given another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary, WeakSet

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import ZERO_RATE, Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site
from autograd_lint.live.source import place_in, tree_of
from autograd_lint.places import Place

_STEPS = 3  # a schedule may begin with zero


@dataclass(slots=True)
class _Rate:
    """Where an optimizer steps, how often, whether any group ever had a rate to step with, and
    whether a scheduler sets the rates."""

    site: Site | None
    times: int = 0
    moves: bool = False
    is_scheduled: bool = False


class Rates(Family):
    """Counts the steps without a rate; keeps no optimizer alive."""

    __slots__ = ("_given", "_known", "_rates", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._given: WeakSet[Optimizer] = WeakSet()  # those that were given a rate
        self._rates: WeakKeyDictionary[Optimizer, _Rate] = WeakKeyDictionary()
        self._known: list[_Rate] = []  # also of optimizers that are gone

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built: with a rate?"""
        if not all(_is_zero(group.get("lr")) for group in optimizer.param_groups):
            self._given.add(optimizer)

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step."""
        known = self._rates.get(step.optimizer)
        if known is None:
            known = self._rates[step.optimizer] = _Rate(step.site)
            self._known.append(known)
        if not known.moves:
            groups = step.optimizer.param_groups
            known.is_scheduled = all(one.get("initial_lr") for one in groups)
            was_given = known.is_scheduled or step.optimizer in self._given
            known.moves = not (was_given and all(_is_zero(one.get("lr")) for one in groups))
            known.times += 1

    def trained(self) -> None:
        """The program has run to its end."""
        for known in self._known:
            if known.times >= _STEPS and not known.moves:
                place = known.site if known.is_scheduled else self._setting() or known.site
                self._told.tell(Pitfall.SCHEDULER_OUT_OF_STEP, place, detail=ZERO_RATE)

    def _setting(self) -> Place | None:
        """Where the program sets a rate by hand, if that is one place."""
        settings = [one for file in self._told.files() for one in _settings(file)]
        return settings[0] if len(settings) == 1 else None


def _settings(filename: str) -> Iterator[Place]:
    """The statements of a file that set the rate of a group themselves."""
    tree = tree_of(filename)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Assign) and any(map(_is_rate, node.targets)):
            yield place_in(filename, node)


def _is_rate(target: ast.expr) -> bool:
    key = target.slice if isinstance(target, ast.Subscript) else None
    return isinstance(key, ast.Constant) and key.value == "lr"


def _is_zero(rate: object) -> bool:
    return type(rate) in (int, float) and rate == 0
