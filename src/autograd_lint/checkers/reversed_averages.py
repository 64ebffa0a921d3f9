"""Moving averages that are written into the network that is trained, and not into its copy.

for p, e in zip(model.parameters(), average.parameters()):
    p.mul_(0.99).add_(e, alpha=0.01)      # draws the model back to where it began
"""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import stepped
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.weight_averages import WeightAverages, Written
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

ROUNDS = 2  # of a training that draws weights back; once may be a start or a merge
MEANT = frozenset({Assumption(Kind.MEANT_AS_AVERAGE, weight=0)})


class ReversedAverages(Checker):
    """Looks at the weights that were blended with those of their copies."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        """It only asks at the end."""

    def end(self, interp: Interpreter) -> None:
        """The run is over: which copy stood still, while the original was drawn to it?"""
        averages = interp.state(WeightAverages)
        if not averages.writes:
            return
        moved = {averages.memory(leaf) for leaf in stepped(interp)}
        for own in moved & averages.writes.keys():
            drawn = list(_drawn(averages, own, moved))
            if len(drawn) >= ROUNDS:
                note(
                    interp,
                    Pitfall.AVERAGE_REVERSED,
                    drawn[0].place,
                    leaf=averages.tensors[own],
                    needed=_called(drawn[0]),
                    assumptions=MEANT,
                )


def _drawn(averages: WeightAverages, own: int, moved: set[int]) -> Iterator[Written]:
    """The blends of weights with a copy of theirs that nothing moves."""
    for one in averages.writes[own]:
        copies = [other for other in one.others if averages.origins.get(other) == own]
        still = copies and not any(copy in moved or copy in averages.writes for copy in copies)
        if one.blended and still:
            yield one


def _called(one: Written) -> Needed | None:
    return Needed(one.called_at, "call") if one.called_at is not None else None
