"""Tied parameters of which one is replaced: the two go apart, though both are trained.

self.head.weight = self.embedding.weight
self.embedding.weight = nn.Parameter(vectors)      # the head keeps the old one

The same where each of the two modules is replaced by a new one.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import ParameterMade
from autograd_lint.places import Place
from autograd_lint.vm.events import AttributeSet, PartSet
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Value


@immutable
class Tie:
    """An attribute of a module was given a parameter in the place of its own."""

    parameter: Tensor
    place: Place


@immutable
class Broken:
    """A tied parameter was replaced by a new one in one of its modules."""

    tie: Tie
    new: Tensor
    place: Place


@dataclass(slots=True, eq=False, repr=False)
class BrokenTies(Checker):
    """The ties, what they were broken by, and the data that each parameter was made of."""

    ties: list[Tie] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    data: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ParameterMade, cls.parameter_made)
        to.add(cls, AttributeSet, cls.attribute_set)
        to.add(cls, PartSet, cls.part_set)

    def parameter_made(self, interp: Interpreter, event: ParameterMade) -> None:
        """A parameter is made of data."""
        self.data[id(event.made)] = event.made, event.data

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """An attribute of a module is about to be set."""
        owner, value = event.owner, event.value
        if not isinstance(owner, Instance) or not is_module(owner):
            return
        before = owner.attributes.get(event.name)
        if not isinstance(value, Tensor) or not value.parameter:
            self._part_replaced(interp, before, value, event.node)
            return
        if not isinstance(before, Tensor) or not before.parameter or before is value:
            return
        place = interp.place(event.node)
        if not self._replaced(before, value, place):
            self.ties.append(Tie(value, place))

    def part_set(self, interp: Interpreter, event: PartSet) -> None:
        """A module is about to get a part in the place of another one."""
        self._part_replaced(interp, event.before, event.value, event.node)

    def _part_replaced(
        self, interp: Interpreter, before: Value, value: Value, node: ast.AST
    ) -> None:
        """A whole module is replaced, and its parameters with it."""
        if isinstance(before, Instance) and isinstance(value, Instance):
            place = interp.place(node)
            for name, new in value.attributes.items():
                old = before.attributes.get(name)
                if isinstance(old, Tensor) and isinstance(new, Tensor) and new.parameter:
                    self._replaced(old, new, place)

    def _replaced(self, old: Tensor, new: Tensor, place: Place) -> bool:
        """A parameter is replaced by another one: was it tied, and the new one not made of it?"""
        ties = [one for one in self.ties if one.parameter is old and old is not new]
        _, data = self.data.get(id(new), (new, new))
        of_old = data.storage.memory == old.storage.memory or data.graph_breaks or data.node
        if not of_old:
            self.broken += [Broken(tie, new, place) for tie in ties]
        return bool(ties)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which two did one backward get to?"""
        if not self.broken:
            return
        received = [{id(leaf) for leaf in walk.leaves()} for walk in interp.engine.backward.passes]
        for one in self.broken:
            if any(id(one.new) in leaves and leaves & self._others(one) for leaves in received):
                note(
                    interp,
                    Pitfall.TIE_BROKEN,
                    one.place,
                    tensor=one.tie.parameter.name,
                    built=Created(one.tie.place, "="),
                )

    def _others(self, broken: Broken) -> set[int]:
        """What the new parameter was to be one with: the tied one, or what took its place in the
        other module before."""
        before = self.broken[: self.broken.index(broken)]
        twins = {id(one.new) for one in before if one.tie is broken.tie}
        return {id(broken.tie.parameter), *twins} - {id(broken.new)}
