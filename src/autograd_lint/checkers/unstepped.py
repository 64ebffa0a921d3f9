"""Optimizers whose parameters get gradients again and again, and that nobody steps."""

from __future__ import annotations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.noting import Notes, note
from autograd_lint.checkers.training_record import Gradient, Stepping, TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.training.optimizers import open_ended, optimized
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

ROUNDS = 2  # backwards that add to a gradient which nothing uses
EXPLAINING = {
    Pitfall.GRADIENTS_PILE_UP,
    Pitfall.NOT_CALLED,
    Pitfall.STEP_BEFORE_BACKWARD,
    Pitfall.ZERO_GRAD_BEFORE_STEP,
}


class Unstepped(Checker):
    """Looks at the optimizers when the run is over."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        """The record of training has all that is asked."""

    def end(self, interp: Interpreter) -> None:
        """Whose gradients pile up, though an optimizer was made for them?"""
        if interp.opaque_backward or interp.record.gave_up or interp.query(interp.source, _steps):
            return
        if EXPLAINING & interp.state(Notes).kinds():
            return
        record = interp.state(TrainingRecord)
        if record.steps or record.given_away:
            return
        for stepping in record.optimizers.values():
            gradient = _waiting(interp, stepping)
            if gradient is not None and not open_ended(stepping.optimizer):
                walk = gradient.fresh[-1].walk
                name = gradient.leaf.name or stepping.made.operator
                because = Assumption(Kind.MEANT_TO_LEARN, name, weight=0)
                note(
                    interp,
                    Pitfall.NEVER_STEPPED,
                    walk.call.place,
                    tensor=gradient.leaf.name,
                    operator=stepping.made.operator,
                    built=stepping.made,
                    assumptions=frozenset({because}),
                )
                return


def _waiting(interp: Interpreter, stepping: Stepping) -> Gradient | None:
    """A gradient of its parameters that several backwards of the program have added to.

    Who asks for any gradient runs backward for that one.
    """
    if interp.state(LeafRecord).asked:
        return None
    known = interp.state(TrainingRecord).of(optimized(stepping.optimizer))
    waiting = (one for one in known if one.used is None and _is_added_to_again(one))
    return next((one for one in waiting if one.fresh[-1].walk.call.place is not None), None)


def _is_added_to_again(gradient: Gradient) -> bool:
    """Whether one call of backward has added to a gradient several times: it stands in a loop."""
    places = [share.walk.call.place for share in gradient.fresh]
    return any(places.count(place) >= ROUNDS for place in places)


@query
def _steps(source: Source) -> bool:
    """Whether anything in a file steps."""
    return "step(" in source.text
