"""The values with graphs that lists and dictionaries take in: read by several checkers."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.bounded_lists import gives_way
from autograd_lint.checkers.call_site import handed_over
from autograd_lint.places import Place
from autograd_lint.project.code import code_of
from autograd_lint.vm.events import GivenToUnknownCode, ValueAppended
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Items, Mapping, Value

Key = tuple[int, Place]


@dataclass(slots=True, eq=False, repr=False)
class GrowingContainers(Listener):
    """What containers, by identity, have `taken` in at a place, each value with its container.

    `handed_over` is where that was given to the code that has put it there, `lent` are containers
    that a part of an object was called with of which nothing is known: it may empty them.
    """

    taken: dict[Key, list[tuple[Value, Items | Mapping]]] = field(default_factory=dict)
    handed_over: dict[Key, Place] = field(default_factory=dict)
    lent: list[Value] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ValueAppended, cls.appended)
        to.add(cls, GivenToUnknownCode, cls.given)

    def takes(self, interp: Interpreter, event: ValueAppended) -> bool:
        """Whether a value has a graph, and stays in its container."""
        items = event.container
        bounded = isinstance(items, Items) and items.bounded
        if graph_of(event.value) is None or bounded or any(one is items for one in self.lent):
            return False
        return not gives_way(interp, event.node)

    def given(self, interp: Interpreter, event: GivenToUnknownCode) -> None:
        """Code that is not seen is given values."""
        node = event.call.node
        if isinstance(node, ast.Call) and _is_own_part(node.func):
            given = (*event.call.args, *event.call.keywords.values())
            self.lent += [one for one in given if isinstance(one, (Items, Mapping))]

    def appended(self, interp: Interpreter, event: ValueAppended) -> None:
        """A value is added to a container.

        Who stores whatever it is given is not to blame: who hands that over can cut it off.
        """
        if not self.takes(interp, event):
            return
        place = interp.place(event.node)
        key = id(event.container), place
        self.handed_over[key] = handed_over(interp, self, event.value) or place
        self.taken.setdefault(key, []).append((event.value, event.container))


def _is_own_part(called: ast.expr) -> bool:
    """Whether what is called is a part of the object itself: `self.decoder(x, features)`."""
    return isinstance(called, ast.Attribute) and code_of(called.value) == "self"


def gathers(interp: Interpreter, instance: Instance) -> bool:
    """Whether a container of an object has taken in a value with a graph, known or not."""
    own = {id(value) for value in instance.attributes.values() if isinstance(value, Items)}
    return bool(own) and any(key in own for key, _ in interp.state(GrowingContainers).taken)
