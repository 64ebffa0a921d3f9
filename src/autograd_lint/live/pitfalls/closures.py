"""Closures that an optimizer runs several times in one step, and that clear no gradients.

def closure():
    loss = criterion(model(x), y)
    loss.backward()                # adds to what the closure has left before
    return loss

optimizer = torch.optim.LBFGS(model.parameters())
optimizer.step(closure)
"""

from __future__ import annotations

from typing import Any

from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.sites import Site

_COUNT = "func_evals"  # how often an optimizer has run a closure, in its own state


class Closures(Family):
    """Counts, within a step, the backwards that find no gradient of an earlier one."""

    __slots__ = ("_backward", "_begun", "_fresh", "_ran", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._begun: tuple[int, Site | None] | None = None
        self._ran = 0  # before the step
        self._fresh = 0
        self._backward: Site | None = None  # the latest one

    def asks(self, optimizer: Optimizer, closure: Any, site: Site | None) -> None:
        """An optimizer is about to run a closure."""
        self._begun, self._ran = (id(optimizer), site), _runs(optimizer)
        self._fresh, self._backward = 0, None

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine is about to add to the gradients of these leaves."""
        if self._begun is not None:
            self._fresh += not any(leaf.is_as_left for leaf in leaves)
            self._backward = site

    def after_step(self, optimizer: Optimizer) -> None:
        """It has: was what each run found cleared before the next one?"""
        begun, self._begun = self._begun, None
        if begun is None or begun[0] != id(optimizer):
            return
        if self._fresh <= 1 < _runs(optimizer) - self._ran:
            self._told.tell(Pitfall.MISSING_ZERO_GRAD, self._backward, modified=stepped(begun[1]))


def _runs(optimizer: Optimizer) -> int:
    """How often an optimizer says that it has run a closure."""
    counts = [state[_COUNT] for state in optimizer.state.values() if _COUNT in state]
    return sum(one for one in counts if isinstance(one, int))
