"""Gradients that are not finite, of a batch whose step was left out, in the step of the next batch.

loss.backward()
if not torch.isfinite(loss):
    continue                  # NaN stays in `.grad`
optimizer.step()              # the next batch has added to it
optimizer.zero_grad()
"""

from __future__ import annotations

from weakref import ref

import torch

from autograd_lint.engine.pitfalls import SKIPPED, Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.nonfinite import is_not_finite
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.sites import Site


class Spoilt(Family):
    """Knows the gradients that a backward was added to when they were infinite or NaN already.

    Only where each of the same calls has had a step of its own before: in a sum over batches each
    belongs to the step. Of all gradients to which a call adds the smallest is looked at.
    """

    __slots__ = ("_gradients", "_several", "_single", "_spoilt", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._single: set[Site] = set()  # calls after one of which a step came
        self._several: set[Site] = set()  # calls after several of which one came
        self._spoilt: tuple[ref[torch.Tensor], Site] | None = None

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine is about to add to the gradients of these leaves."""
        if site is None or site not in self._single or site in self._several:
            return
        waiting = [
            tensor
            for leaf in leaves
            if leaf.filled is site and leaf.is_waiting
            if (tensor := leaf.tensor()) is not None
        ]
        if not waiting:
            self._spoilt = None
            return
        smallest = min(waiting, key=torch.Tensor.numel)
        if is_not_finite(smallest.grad):
            self._spoilt = ref(smallest), site

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use the gradients of these."""
        leaves = (self._gradients.leaf(one) for one in step.held)
        first = next((one for one in leaves if one.filled is not None), None)
        spoilt, self._spoilt = self._spoilt, None
        if first is not None and first.filled is not None and spoilt is None:
            (self._single if first.times == 1 else self._several).add(first.filled)
        if spoilt is None:
            return
        tensor, backward = spoilt[0](), spoilt[1]
        is_used = tensor is not None and any(one is tensor for one in step.held)
        if tensor is not None and is_used and is_not_finite(tensor.grad):
            self._told.tell(
                Pitfall.MISSING_ZERO_GRAD, backward, detail=SKIPPED, modified=stepped(step.site)
            )
