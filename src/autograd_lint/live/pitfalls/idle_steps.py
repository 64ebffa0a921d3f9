"""Steps of a place that never find a gradient, for the parameters are frozen each time.

requires_grad(discriminator, False)
...
(weight * penalty(discriminator(real), real)).backward()     # goes to `real` alone
discriminator_optimizer.step()
"""

from __future__ import annotations

from dataclasses import dataclass

from autograd_lint.engine.pitfalls import FROZEN_STEP, Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_AGAIN = 2  # such steps at a place, and none of another kind


@dataclass(slots=True)
class _Steps:
    """The steps of one place: how many found nothing, right after a backward, and whether any found
    a gradient."""

    idle: int = 0
    is_fed: bool = False


class IdleSteps(Family):
    """Counts the steps of each place by what they find."""

    __slots__ = ("_is_fed", "_is_walked", "_steps", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._is_walked = False
        self._is_fed = False
        self._steps: dict[Site, _Steps] = {}

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins."""
        self._is_walked |= walk.accumulates

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step: with no gradient, and of nothing that gets any?"""
        if step.site is None:
            return
        known = self._steps.setdefault(step.site, _Steps())
        walked, self._is_walked = self._is_walked, False
        if not known.is_fed:
            known.is_fed = any(one.grad is not None for one in step.held)
            is_frozen = not any(one.requires_grad for one in step.held)
            known.idle += walked and is_frozen and not known.is_fed

    def trained(self) -> None:
        """The program has run to its end: which steps have never done anything, beside others?"""
        if not any(one.is_fed for one in self._steps.values()):
            return
        for site, known in self._steps.items():
            if known.idle >= _AGAIN and not known.is_fed:
                self._told.tell(Pitfall.NO_GRADIENTS, site, detail=FROZEN_STEP)
