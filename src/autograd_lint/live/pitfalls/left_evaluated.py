"""Modules that a validation puts into evaluation mode, and that are trained in it from then on.

model.train()
for epoch in range(epochs):
    for x, y in batches:            # from the second epoch on without dropout
        ...
        optimizer.step()
    model.eval()                    # is in evaluation mode already
    validate(model)
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import torch

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site

# Layers that compute something else in evaluation mode.
_DIFFERING = (torch.nn.modules.batchnorm._NormBase, torch.nn.modules.dropout._DropoutNd)


@dataclass(slots=True)
class _Mode:
    """What becomes of a module that is put into evaluation mode at a place: a step that has moved
    it in training mode before, and how many have moved it since. `is_meant` says that another place
    evaluates it as well, or that a part of it is in training mode."""

    at: Site
    trained: Site | None
    steps: int = 0
    is_meant: bool = False


class LeftEvaluated(Family):
    """Looks for the place that evaluates a module, again and again, with steps between which have
    moved it, where the steps before the first of these moved it in training mode.

    A module that is to be trained in evaluation mode is put into it somewhere else, or before the
    first step.
    """

    __slots__ = ("_gradients", "_latest", "_modes", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._modes: WeakKeyDictionary[torch.nn.Module, _Mode] = WeakKeyDictionary()
        self._latest: Site | None = None  # step

    def put(self, module: torch.nn.Module, training: bool) -> None:
        """The program puts a module into a mode."""
        site = self._told.here()
        if training:
            for part in module.modules() if self._modes else ():
                self._modes.pop(part, None)
        elif site is not None and any(isinstance(part, _DIFFERING) for part in module.modules()):
            self._evaluated(module, site)

    def _evaluated(self, module: torch.nn.Module, site: Site) -> None:
        """A module is put into evaluation mode: once more, though it is in it?"""
        known = self._modes.get(module)
        if known is None:
            self._modes[module] = _Mode(site, self._latest if self._is_trained(module) else None)
        elif known.at is not site:
            known.is_meant = True
        elif known.steps and known.trained is not None and not known.is_meant:
            needed = Needed(known.trained.place, "step")
            noted = self._told.callers()
            self._told.tell(Pitfall.LEFT_IN_EVALUATION, site, needed=needed, noted=noted)

    def _is_trained(self, module: torch.nn.Module) -> bool:
        """Whether steps have moved a module that is in training mode up to now."""
        leaves = (self._gradients.leaf(one) for one in module.parameters())
        return _is_training(module) and any(leaf.moved for leaf in leaves)

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step: which of these modules does it move, and in which mode?"""
        self._latest = step.site
        for module, known in [*self._modes.items()] if self._modes else ():
            if known.trained is not None and _is_moved(module, step):
                known.steps += 1
                known.is_meant |= _is_training(module)


def _is_moved(module: torch.nn.Module, step: Step) -> bool:
    own = {id(one) for one in step.held if one.grad is not None}
    return any(id(one) in own for one in module.parameters())


def _is_training(module: torch.nn.Module) -> bool:
    """Whether a layer that differs is in training mode."""
    return any(part.training for part in module.modules() if isinstance(part, _DIFFERING))
