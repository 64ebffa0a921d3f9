"""Ratios of probabilities that are always one, as both are computed with the same parameters.

for _ in range(epochs):
    new = policy(states).log_prob(actions)
    with torch.no_grad():
        old = policy(states).log_prob(actions)       # of the policy as it is now, not as it acted
    ratio = (new - old).exp()                        # one, whatever the steps before have changed

Source: the ratio is one to the policy before the update (https://arxiv.org/abs/1707.06347, 3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.checkers.value_numbers import ValueNumbers
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import ActionDrawn, OperatorRun
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

TAKING = {"sub", "rsub", "div", "truediv"}


@immutable
class Compared:
    """Two log probabilities were compared: `number` is that of both, None where they differ.

    `steps` and `draws` count the steps of optimizers and the samples of actions before.
    """

    number: int | None
    steps: int
    draws: int


@dataclass(slots=True, eq=False, repr=False)
class ConstantRatios(Checker):
    """What was compared at each place, in order, and how many samples were drawn so far."""

    compared: dict[Place, list[Compared]] = field(default_factory=dict)
    draws: int = 0

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.operator_run, only=TAKING.__contains__)
        to.add(cls, ActionDrawn, cls.action_drawn)

    def action_drawn(self, interp: Interpreter, event: ActionDrawn) -> None:
        """Actions are drawn: what was computed of earlier ones is of an earlier rollout."""
        self.draws += 1

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: on two log probabilities?"""
        given, values = event.operation.tensors(), interp.state(ValueNumbers)
        place = event.operation.place
        if len(given) != 2 or place is None:
            return
        one, other = given
        if values.are_probabilities(given) and values.origin(one) != values.origin(other):
            numbers = {values.of(one), values.of(other)}
            number = numbers.pop() if len(numbers) == 1 else None
            steps = interp.state(TrainingRecord).steps
            self.compared.setdefault(place, []).append(Compared(number, steps, self.draws))

    def end(self, interp: Interpreter) -> None:
        """The run is over: where were both the same, before steps and after them?"""
        for place, found in self.compared.items():
            if all(one.number is not None for one in found) and _come_between(found):
                note(interp, Pitfall.CONSTANT_RATIO, place)


def _come_between(found: list[Compared]) -> bool:
    """Whether a step came between two comparisons of what one rollout has given."""
    return any(
        one.steps < other.steps and one.draws == other.draws and one.number != other.number
        for one, other in pairwise(found)
    )
