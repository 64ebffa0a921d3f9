"""Moving averages of a network with itself: two names, one module, and no copy.

self.average = self.net
for p, q in zip(self.average.parameters(), self.net.parameters()):
    p.data.copy_(0.999 * p.data + 0.001 * q.data)     # changes nothing
"""

from __future__ import annotations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import stepped
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.shared_parameters import MEANT_AS_COPY
from autograd_lint.checkers.weight_averages import WeightAverages
from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import OWN_AVERAGE, Pitfall
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


class OwnAverages(Checker):
    """Looks at the weights that were blended with themselves."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        """It only asks at the end."""

    def end(self, interp: Interpreter) -> None:
        """The run is over: which trained weights were averaged with themselves?"""
        averages = interp.state(WeightAverages)
        moved = {averages.memory(leaf) for leaf in stepped(interp)} if averages.alone else set()
        for own, written in averages.alone.items():
            if own in moved:
                is_here = written.source is interp.world.source
                called_at = None if is_here else written.called_at
                note(
                    interp,
                    Pitfall.OWN_STATE,
                    called_at or written.place,
                    tensor=averages.tensors[own].name,
                    detail=OWN_AVERAGE,
                    needed=Needed(written.place, "write") if called_at else None,
                    assumptions=frozenset({MEANT_AS_COPY}),
                )
                return
