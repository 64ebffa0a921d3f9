"""Gradients of a scaled loss that are added to those of one which is not scaled, or that are
divided by another scale than the one of their loss.

scaler.scale(loss).backward()
penalty.backward()                 # divided by the scale as well: next to nothing
scaler.step(optimizer)

scaler.step(optimizer_of_maker)
scaler.update()                    # the scale changes
scaler.step(optimizer_of_judge)    # divides by the new one
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import Gradient, TrainingRecord
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import RESCALED, UNSCALED, Pitfall
from autograd_lint.engine.walk import leaves_of
from autograd_lint.libraries.torch.events import (
    GradientsUnscaled,
    LossScaled,
    PassBegun,
    ScaleUpdated,
)
from autograd_lint.libraries.torch.training.optimizers import open_ended
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance

ADDING = {"add", "sub", "add_", "sub_"}


@dataclass(slots=True, eq=False, repr=False)
class MixedScales(Checker):
    """Looks at what a gradient scaler divides, and at the terms that backward begins with.

    `scalers` are those that have scaled a loss, by the node of that; `updates` when each has
    changed its scale, by the engine's clock, and where.
    """

    scalers: dict[Node, Instance] = field(default_factory=dict)
    updates: list[tuple[int, Instance, Place]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, GradientsUnscaled, cls.unscaled)
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, LossScaled, cls.scaled)
        to.add(cls, ScaleUpdated, cls.updated)

    def scaled(self, interp: Interpreter, event: LossScaled) -> None:
        """A scaler has scaled a loss."""
        if event.enabled:
            self.scalers[event.node] = event.scaler

    def updated(self, interp: Interpreter, event: ScaleUpdated) -> None:
        """A scaler changes its scale."""
        self.updates.append((interp.engine.tick(), event.scaler, event.place))

    def unscaled(self, interp: Interpreter, event: GradientsUnscaled) -> None:
        """A scaler is about to divide gradients: does it divide what it has not scaled?"""
        record = interp.state(TrainingRecord)
        every = record.gradients.values() if event.tensors is None else record.of(event.tensors)
        for gradient in every:
            walk = _unscaled_beside_scaled(gradient, record.scaled)
            if walk is not None:
                _note(interp, walk, gradient.leaf.name)
            if event.tensors is not None:  # else it may be one that no step of the scaler uses
                self._judge_updates(interp, gradient)

    def _judge_updates(self, interp: Interpreter, gradient: Gradient) -> None:
        """Has the scale changed since the backward of a scaled loss?

        What an optimizer has that is not known may have been cleared in between.
        """
        optimizers = interp.state(TrainingRecord).optimizers.values()
        if any(open_ended(one.optimizer) for one in optimizers):
            return
        for walk in (share.walk for share in gradient.fresh):
            scalers = {self.scalers[one] for one in walk.starts if one in self.scalers}
            later = (
                place for when, one, place in self.updates if when > walk.began and one in scalers
            )
            place = next(later, None)
            if place is not None:
                note(
                    interp,
                    Pitfall.SCALED_GRADIENTS,
                    place,
                    tensor=gradient.leaf.name,
                    detail=RESCALED,
                    needed=Needed(walk.call.place, walk.call.name),
                )

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: at a sum of a scaled loss and another one?"""
        scaled = interp.state(TrainingRecord).scaled
        terms = [term for start in event.walk.starts for term in _terms(start)]
        others = [term for term in terms if term not in scaled]
        if len(others) < len(terms):
            leaves = {id(leaf) for term in terms if term in scaled for leaf in leaves_of([term])}
            mixed = [leaf for leaf in leaves_of(others) if id(leaf) in leaves]
            if mixed:
                _note(interp, event.walk, mixed[0].name)


def _unscaled_beside_scaled(gradient: Gradient, scaled: set[Node]) -> Pass | None:
    """A backward that has added to a gradient from a loss that was not scaled, where others that
    were have as well."""
    walks = [share.walk for share in gradient.fresh]
    plain = [walk for walk in walks if not any(_has_scale(one, scaled) for one in walk.starts)]
    return plain[0] if plain and len(plain) < len(walks) else None


def _has_scale(start: Node, scaled: set[Node]) -> bool:
    return any(term in scaled for term in _terms(start))


def _terms(start: Node) -> Iterator[Node]:
    """What is added up to what backward begins at."""
    stack = [start]
    while stack:
        node = stack.pop()
        if node.operator in ADDING:
            stack.extend(node.edges)
        else:
            yield node


def _note(interp: Interpreter, walk: Pass, name: str | None) -> None:
    place, operator = walk.call.place, walk.call.name
    note(interp, Pitfall.SCALED_GRADIENTS, place, tensor=name, detail=UNSCALED, operator=operator)
