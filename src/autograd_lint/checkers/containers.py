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
from autograd_lint.vm.values import DATA, Instance, Items, Mapping, Unknown, Value

Key = tuple[int, Place]


@dataclass(slots=True, eq=False, repr=False)
class GrowingContainers(Listener):
    """What containers, by identity, have `taken` in at a place, each value with its container:
    values with graphs, and those of which a backward may still show that they have one.

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
        """Whether a value has a graph, or may turn out to have one, and stays in its container."""
        items = event.container
        bounded = isinstance(items, Items) and items.bounded
        if bounded or any(one is items for one in self.lent):
            return False
        if graph_of(event.value) is None and not _may_have_graph(event.value):
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


def _may_have_graph(value: Value) -> bool:
    """Whether nothing is known of a value: where backward begins shows later what has a graph."""
    return isinstance(value, Unknown) and not value.hint and value.weight < DATA


def _is_own_part(called: ast.expr) -> bool:
    """Whether what is called is a part of the object itself: `self.decoder(x, features)`."""
    return isinstance(called, ast.Attribute) and code_of(called.value) == "self"


def gathers(interp: Interpreter, instance: Instance) -> bool:
    """Whether a container of an object has taken in a value with a graph, known or not."""
    own = {id(value) for value in instance.attributes.values() if isinstance(value, Items)}
    taken = interp.state(GrowingContainers).taken.items() if own else ()
    found = (value for (key, _), values in taken if key in own for value, _ in values)
    return any(graph_of(value) is not None for value in found)
