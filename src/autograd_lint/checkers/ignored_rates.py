"""Updates of a copy that do not use the rate that they are given.

def soft_update(online, target, tau):
    for p, t in zip(online.parameters(), target.parameters()):
        t.data.copy_(p.data)
"""

from __future__ import annotations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import stepped
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.weight_averages import WeightAverages
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

MEANT = frozenset({Assumption(Kind.MEANT_AS_AVERAGE, weight=0)})


class IgnoredRates(Checker):
    """Looks at what was written to copies of trained weights."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        """It only asks at the end."""

    def end(self, interp: Interpreter) -> None:
        """The run is over: which updates were given a rate that they do not read?"""
        averages = interp.state(WeightAverages)
        moved = {averages.memory(leaf) for leaf in stepped(interp)} if averages.writes else set()
        for copy, written in averages.writes.items():
            for one in written:
                if one.unread is None or copy in moved or not one.others & moved:
                    continue
                note(
                    interp,
                    Pitfall.RATE_IGNORED,
                    one.place,
                    tensor=one.unread,
                    needed=Needed(one.called_at, "call") if one.called_at is not None else None,
                    assumptions=MEANT,
                )
