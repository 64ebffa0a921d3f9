"""Optimizers whose steps find nothing any more, for new leaves have taken the place of theirs.

model = copy.deepcopy(best)           # or `weight = Parameter(...)`, or `x = x.detach()`
for x, y in batches:
    optimizer.zero_grad()             # of the leaves that it was given
    loss(model(x), y).backward()      # fills others
    optimizer.step()
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_AGAIN = 3  # steps in a row that find nothing
_MOST = 1024  # leaves that are remembered


@dataclass(slots=True)
class _Steps:
    """Those of one optimizer: whether any has found a gradient, how many since then have not while
    new leaves got some, and how many calls of the engine there were before the latest one."""

    optimizer: ref[Optimizer]
    is_fed: bool = False
    idle: int = 0
    walks: int = 0


class Replaced(Family):
    """Knows the leaves that were made after the first optimizer; keeps none alive."""

    __slots__ = ("_built", "_gradients", "_reached", "_steps", "_told", "_walks", "_young")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._built = False
        self._young: dict[int, tuple[ref[torch.Tensor], Site]] = {}
        self._walks = 0  # that have reached one of these
        self._reached: tuple[ref[torch.Tensor], Site] | None = None  # by the latest one
        self._steps: dict[int, _Steps] = {}

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built."""
        self._built = True

    def wrapped(self, parameter: torch.Tensor, data: torch.Tensor, site: Site) -> None:
        """A parameter was made of a tensor."""
        self._note(parameter, site)

    def flagged(self, tensor: torch.Tensor, site: Site | None) -> None:
        """A tensor is told to require grad."""
        if site is not None and tensor.is_leaf and not tensor.requires_grad:
            self._note(tensor, site)

    def _note(self, leaf: torch.Tensor, site: Site) -> None:
        if self._built:
            self._young.pop(id(leaf), None)
            if len(self._young) >= _MOST:
                del self._young[next(iter(self._young))]
            self._young[id(leaf)] = ref(leaf), site

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: does it get to new leaves that no optimizer has?"""
        for leaf in walk.asked if self._young else ():
            known, site = self._young.get(id(leaf), (None, None))
            is_young = known is not None and known() is leaf
            if known and site and is_young and not self._gradients.leaf(leaf).owned:
                self._walks += 1
                self._reached = known, site
                return

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step: is there anything to use, or was it given to others?"""
        known = self._steps.get(id(step.optimizer))
        if known is None or known.optimizer() is not step.optimizer:
            known = self._steps[id(step.optimizer)] = _Steps(ref(step.optimizer))
        walks, known.walks = known.walks, self._walks
        if any(one.grad is not None and not self._is_used(one) for one in step.held):
            known.is_fed, known.idle = True, 0
        elif known.is_fed and walks != self._walks and self._may_replace(step.held):
            known.idle += 1
            if known.idle == _AGAIN and self._reached is not None:
                self._tell(step, *self._reached)

    def _may_replace(self, held: list[torch.Tensor]) -> bool:
        """Whether the new leaf is a parameter, or as large as one of these that is not frozen."""
        leaf = self._reached[0]() if self._reached is not None else None
        is_parameter = isinstance(leaf, torch.nn.Parameter)
        shape = leaf.shape if leaf is not None else None
        return any(one.requires_grad and (is_parameter or one.shape == shape) for one in held)

    def _is_used(self, tensor: torch.Tensor) -> bool:
        return self._gradients.leaf(tensor).is_as_used

    def _tell(self, step: Step, leaf: ref[torch.Tensor], site: Site) -> None:
        tensor = leaf()
        self._told.tell(
            Pitfall.LEAF_REPLACED,
            site,
            tensor=None if tensor is None else name_of(tensor, self._told.sites),
            built=self._gradients.built_with(step.held[0]),
            modified=stepped(step.site),
        )
