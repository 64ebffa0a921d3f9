"""Constants of a module that an option makes parameters of, although they are used without graphs.

`if learnable: self.bank = nn.Parameter(self.bank)` says that they are to be trained then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import is_inside
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph_breaks import GraphBreak, linked
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import ResultTrained
from autograd_lint.places import Place
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import AttributeSet
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Value


@dataclass(slots=True, eq=False, repr=False)
class Trainable(Checker):
    """Where constants were made parameters, by the identity of these."""

    made: dict[int, Place] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, AttributeSet, cls.bound)
        to.add(cls, ResultTrained, cls.returned)

    def bound(self, interp: Interpreter, event: AttributeSet) -> None:
        """An attribute of a module is bound anew: is it now a parameter that was a plain tensor?"""
        owner, value = event.owner, event.value
        if not isinstance(owner, Instance) or not is_module(owner):
            return
        before = owner.attributes.get(event.name)
        plain = isinstance(before, Tensor) and before.requires_grad is None and not before.parameter
        if plain and isinstance(value, Tensor) and value.parameter and value.requires is not None:
            self.made[id(value)] = interp.place(event.node)

    def returned(self, interp: Interpreter, event: ResultTrained) -> None:
        """A step of a module has given its result: what was to be trained, but has no way back?"""
        made = self.made
        if not made:
            return
        for graph_break in _behind(event.result):
            leaf, switch = graph_break.source.leaf, graph_break.switch
            if leaf is None or switch is None or id(leaf) not in made or leaf.grad is not None:
                continue
            if is_inside(switch.place, event.function):
                note(
                    interp,
                    Pitfall.TRAINABLE_IN_VAIN,
                    switch.place,
                    leaf=leaf,
                    operator=switch.operator,
                    built=Created(made[id(leaf)], "nn.Parameter"),
                    assumptions=graph_break.assumptions | {event.because},
                )


def _behind(result: Value) -> Iterator[GraphBreak]:
    """The ends of graphs on the way to results that have no other."""
    for tensor in tensors_in(result):
        if not linked(tensor):
            yield from tensor.graph_breaks
