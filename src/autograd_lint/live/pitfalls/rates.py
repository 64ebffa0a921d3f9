"""Optimizers that a scheduler gives a rate of zero in every step."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import ZERO_RATE, Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site

_STEPS = 3  # a schedule may begin with zero


@dataclass(slots=True)
class _Rate:
    """Where an optimizer steps, how often, and whether any group ever had a rate to step with."""

    site: Site | None
    times: int = 0
    moves: bool = False


class Rates(Family):
    """Counts the steps without a rate; keeps no optimizer alive."""

    __slots__ = ("_known", "_rates", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._rates: WeakKeyDictionary[Optimizer, _Rate] = WeakKeyDictionary()
        self._known: list[_Rate] = []  # also of optimizers that are gone

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step."""
        known = self._rates.get(step.optimizer)
        if known is None:
            known = self._rates[step.optimizer] = _Rate(step.site)
            self._known.append(known)
        if not known.moves:
            known.moves = not _is_scheduled_to_zero(step.optimizer)
            known.times += 1

    def trained(self) -> None:
        """The program has run to its end."""
        for known in self._known:
            if known.times >= _STEPS and not known.moves:
                self._told.tell(Pitfall.SCHEDULER_OUT_OF_STEP, known.site, detail=ZERO_RATE)


def _is_scheduled_to_zero(optimizer: Optimizer) -> bool:
    """Whether every group has a rate of zero that is not the one it was given."""
    return all(
        _is_zero(group.get("lr")) and group.get("initial_lr") for group in optimizer.param_groups
    )


def _is_zero(rate: object) -> bool:
    return type(rate) in (int, float) and rate == 0
