"""Constants of a module that an option makes parameters of, although they are used without graphs.

`if learnable: self.bank = nn.Parameter(self.bank)` says that they are to be trained then.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import is_inside
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.severing import Severed, linked
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function, Value, tensors_in


def bound(interp: Interpreter, before: Value, value: Value, place: Place) -> None:
    """An attribute of a module is bound anew: is it now a parameter that was a plain tensor?"""
    plain = isinstance(before, Tensor) and before.requires_grad is None and not before.parameter
    if plain and isinstance(value, Tensor) and value.parameter and value.requires is not None:
        interp.watch.made_trainable[id(value)] = place


def returned(interp: Interpreter, forward: Function, result: Value, because: Assumption) -> None:
    """A step of a module has given its result: what was to be trained, but has no way back?"""
    made = interp.watch.made_trainable
    if not made:
        return
    for severed in _behind(result):
        leaf, switch = severed.source.leaf, severed.switch
        if leaf is None or switch is None or id(leaf) not in made or leaf.grad is not None:
            continue
        if is_inside(switch.place, forward):
            note(
                interp,
                Pitfall.TRAINABLE_IN_VAIN,
                switch.place,
                tensor=leaf.name,
                operator=switch.operator,
                built=Created(made[id(leaf)], "nn.Parameter"),
                assumptions=severed.assumptions | {because},
            )


def _behind(result: Value) -> Iterator[Severed]:
    """The ends of graphs on the way to results that have no other."""
    for tensor in tensors_in(result):
        if not linked(tensor):
            yield from tensor.severed
