"""Where a program puts the state whose graph a later iteration needs again.

def push(self, hidden):
    self.hidden = hidden            # with the graph of this iteration
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from autograd_lint.checkers.checker import Checker
from autograd_lint.engine.events import Noted
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.places import Place
from autograd_lint.vm.events import AttributeSet, ValueAppended
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Value

_SAID = "kept here, with its graph"


@dataclass(slots=True, eq=False, repr=False)
class CarriedState(Checker):
    """Where values with a graph were last put on an object or into a container, by where that graph
    was built or named."""

    kept: dict[Place, Place] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, AttributeSet, cls.attribute_set)
        to.add(cls, ValueAppended, cls.value_appended)

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """An object may keep a graph from now on."""
        if isinstance(event.owner, Instance):
            self._keep(interp, event.value, event.node)

    def value_appended(self, interp: Interpreter, event: ValueAppended) -> None:
        """A container may."""
        self._keep(interp, event.value, event.node)

    def _keep(self, interp: Interpreter, value: Value, node: ast.AST) -> None:
        graph, here = graph_of(value), interp.place(node)
        if graph is None or here is None:
            return
        for place in (graph.place, graph.bound):
            if place is not None:
                self.kept[place] = here

    def end(self, interp: Interpreter) -> None:
        """The run is over: is a graph needed again that was kept from an earlier iteration?"""
        faults = interp.engine.faults
        for position, fault in enumerate(faults):
            if fault.kind is FaultKind.GRAPH_FREED and fault.carried:
                faults[position] = self._with_keeper(fault)

    def _with_keeper(self, fault: Fault) -> Fault:
        """A fault with where its state was kept, where that is in another line than it was made."""
        built = fault.built.place if fault.built is not None else None
        keeper = self.kept.get(built) if built is not None else None
        if keeper is None or built is None or _line(keeper) == _line(built):
            return fault
        return replace(fault, noted=(*fault.noted, Noted(keeper, _SAID)))


def _line(place: Place) -> tuple[str, int]:
    return place.filename, place.row
