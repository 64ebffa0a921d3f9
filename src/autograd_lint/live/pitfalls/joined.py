"""Parameters that come to an optimizer with gradients that have piled up over its earlier steps.

for x, y in batches:
    loss(model(x), y).backward()         # fills the gradients of the whole model
    optimizer.step()                     # of the head
    optimizer.zero_grad()                # of the head
optimizer.add_param_group({"params": model.backbone.parameters()})
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from torch.optim import Optimizer

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import BEFORE_GIVEN, Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, parameters_of, stepped
from autograd_lint.live.sites import Site


@dataclass(frozen=True, slots=True)
class _Given:
    """What an optimizer had, by identity, when it was given more, and where that was."""

    held: frozenset[int]
    site: Site | None


class Joined(Family):
    """Knows what each optimizer had before it was given more."""

    __slots__ = ("_given", "_gradients", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._given: WeakKeyDictionary[Optimizer, _Given] = WeakKeyDictionary()

    def giving(self, optimizer: Optimizer, site: Site | None) -> None:
        """An optimizer is about to be given a group."""
        held = frozenset(map(id, parameters_of(optimizer)))
        if self._gradients.have_stepped() and optimizer not in self._given and held:
            self._given[optimizer] = _Given(held, site)

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step: by what walks from before its latest step have left?"""
        known = self._given.pop(step.optimizer, None)
        if known is not None:
            self._look(step, known)

    def _look(self, step: Step, known: _Given) -> None:
        own = [self._gradients.leaf(one) for one in step.held if id(one) in known.held]
        times = max((leaf.times for leaf in own), default=0)
        for tensor in step.held:
            leaf = self._gradients.leaf(tensor)
            is_new = id(tensor) not in known.held and leaf.is_waiting
            if is_new and leaf.times > times > 0:
                self._told.tell(
                    Pitfall.GRADIENTS_PILE_UP,
                    leaf.filled,
                    tensor=name_of(tensor, self._told.sites),
                    operator=type(step.optimizer).__name__,
                    detail=BEFORE_GIVEN,
                    modified=stepped(step.site),
                    needed=Needed(place_of(known.site), "add_param_group"),
                )
                return
