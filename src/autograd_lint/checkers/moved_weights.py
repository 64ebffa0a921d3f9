"""Weights that an optimizer of the program has moved along their gradient before a second backward,
which adds to that gradient.

loss(model(x)).backward()
optimizer.first_step()            # to where the loss is larger, along the gradient
loss(model(x)).backward()         # the sum of both gradients, unless the first one is cleared
optimizer.second_step()

Source: Foret, Kleiner, Mobahi, Neyshabur: Sharpness-Aware Minimization, algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import Gradient, Share, TrainingRecord
from autograd_lint.engine.events import Modified
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import LeafMoved, StepBegun
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

REPEATED = 2  # steps with such a sum: those of a loop


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """Where a leaf was moved, and what its gradient last consisted of then."""

    place: Place
    operator: str
    share: Share


@dataclass(slots=True, eq=False, repr=False)
class MovedWeights(Checker):
    """The first move of each leaf by the gradient that it has, and how often that was added to
    before a step, by identity."""

    moves: dict[int, Move] = field(default_factory=dict)
    added: dict[int, int] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, LeafMoved, cls.moved)
        to.add(cls, StepBegun, cls.step_begun)

    def moved(self, interp: Interpreter, event: LeafMoved) -> None:
        """A method of an optimizer has moved a leaf along its gradient."""
        for gradient in interp.state(TrainingRecord).of([event.leaf]):
            known = self.moves.get(id(event.leaf))
            if gradient.fresh and (known is None or known.share not in gradient.fresh):
                move = Move(event.place, event.operator, gradient.fresh[-1])
                self.moves[id(event.leaf)] = move

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer is about to use gradients: were they added to what has moved the leaves?"""
        for gradient in interp.state(TrainingRecord).of(event.tensors) if self.moves else ():
            move = self.moves.get(id(gradient.leaf))
            if move is None or not _is_added_to(gradient, move):
                continue
            leaf = gradient.leaf
            self.added[id(leaf)] = self.added.get(id(leaf), 0) + 1
            if self.added[id(leaf)] >= REPEATED:
                note(
                    interp,
                    Pitfall.MISSING_ZERO_GRAD,
                    gradient.fresh[-1].walk.call.place,
                    leaf=leaf,
                    operator=event.name,
                    modified=Modified(move.place, move.operator, leaf.name, 0),
                    assumptions=leaf.requires or frozenset(),
                )


def _is_added_to(gradient: Gradient, move: Move) -> bool:
    """Whether a gradient still holds what has moved its leaf, and a later share beside it."""
    return any(share is move.share for share in gradient.fresh[:-1])
