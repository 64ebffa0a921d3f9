"""Where a program cuts one state off its graph, while another one still carries its own over.

def cut(self):
    self.slow.detach_()           # and what of `self.fast`?
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from autograd_lint.checkers.checker import Checker
from autograd_lint.engine.events import Noted
from autograd_lint.engine.faults import FaultKind
from autograd_lint.libraries.torch.events import DetachedInPlace
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class PartialCuts(Checker):
    """The last `detach_()` between two backwards of a tensor that had a graph."""

    last: Noted | None = None

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, DetachedInPlace, cls.detached)

    def detached(self, interp: Interpreter, event: DetachedInPlace) -> None:
        """A tensor is about to leave its graph."""
        node = event.tensor.node
        if node is not None and not node.opaque and interp.engine.backward.passes:
            self.last = Noted(interp.place(event.node), "this cuts another state")

    def end(self, interp: Interpreter) -> None:
        """The run is over: is a graph needed again that an earlier iteration has freed?"""
        if self.last is None:
            return
        faults = interp.engine.faults
        for position, fault in enumerate(faults):
            if fault.kind is FaultKind.GRAPH_FREED and fault.carried:
                faults[position] = replace(fault, noted=(*fault.noted, self.last))
