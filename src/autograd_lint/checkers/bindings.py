"""Where the attributes of objects were bound: read by several checkers."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.engine.graph import Node
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import AttributeRegistered
from autograd_lint.places import Place
from autograd_lint.vm.events import AttributeSet
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance


@immutable
class Binding:
    """Where an attribute was bound, and when by the engine's clock."""

    place: Place
    moment: int


@dataclass(slots=True, eq=False, repr=False)
class Bindings(Listener):
    """The last binding of each attribute, by the identity of its object and by its name."""

    last: dict[tuple[int, str], Binding] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, AttributeSet, cls.attribute_set)
        to.add(cls, AttributeRegistered, cls.registered)

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        if isinstance(event.owner, Instance):
            self._bind(interp, event.owner, event.name, event.node)

    def registered(self, interp: Interpreter, event: AttributeRegistered) -> None:
        self._bind(interp, event.module, event.name, event.node)

    def _bind(self, interp: Interpreter, owner: Instance, name: str, node: ast.AST) -> None:
        self.last[id(owner), name] = Binding(interp.place(node), interp.engine.clock)

    def place_of(self, owner: Instance, name: str) -> Place | None:
        """Where an attribute was bound last; None where that was not seen."""
        found = self.last.get((id(owner), name))
        return found.place if found is not None else None

    def kept_at(self, owner: Instance, name: str, node: Node) -> Place | None:
        """Where an attribute came to hold what a graph node has computed: where it was bound to it,
        or where the node wrote to what it had been bound to."""
        found = self.last.get((id(owner), name))
        return found.place if found is not None and found.moment >= node.sequence else node.place
