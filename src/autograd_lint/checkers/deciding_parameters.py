"""Parameters that an optimizer has, and that only decide what is computed.

weights = torch.softmax(self.alpha, 0)
best = int(weights.argmax())
return self.candidates[best](x)       # no gradient gets to `self.alpha`
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers import backward_paths
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import has_trained_alone, is_seen_from_the_start
from autograd_lint.checkers.graph_breaks import COMPARING, GraphBreaks
from autograd_lint.checkers.leaf_record import LeafRecord, stepped
from autograd_lint.checkers.lost_leaves import note_cut
from autograd_lint.engine.graph_breaks import DECIDING, GraphBreak
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.libraries.torch.events import OperatorRun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

CHOOSING = COMPARING | {"argmax", "argmin", "eq", "ne"}


@dataclass(slots=True, eq=False, repr=False)
class DecidingParameters(Checker):
    """Where graphs have ended in positions and truth values, by the sources of these."""

    found: dict[int, GraphBreak] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.operator_run, only=CHOOSING.__contains__)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run that has no derivative."""
        for result in event.results if is_seen_from_the_start(interp) else ():
            for one in result.graph_breaks if result.dtype in DECIDING else ():
                if one.switch is None and one.event.operator == event.operation.operator:
                    self.found.setdefault(id(one.source), one)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which parameters has no backward come to, for they only decide?"""
        if not self.found or interp.opaque_backward or interp.record.gave_up:
            return
        if not has_trained_alone(interp):
            return
        received = interp.engine.backward.received
        unmoved, breaks = interp.state(LeafRecord).unmoved, interp.state(GraphBreaks)
        moved = {id(leaf) for leaf in stepped(interp) if leaf not in unmoved} - received
        for one in self.found.values() if received and moved else ():
            lost = [leaf for leaf in leaves_of([one.source]) if id(leaf) in moved]
            if id(one) in breaks.found or not lost or any(map(_is_written, lost)):
                continue
            note_cut(
                interp,
                one.event.place,
                lost[0],
                operator=one.event.operator,
                built=one.source.created if one.source.leaf is None else None,
                assumptions=one.assumptions | backward_paths.least(lost),
            )


def _is_written(leaf: Tensor) -> bool:
    """Whether the program writes a parameter itself: nothing else has to move it."""
    writes = (*leaf.storage.writes, *leaf.storage.unversioned_writes)
    return any(not write.event.by_optimizer for write in writes)
