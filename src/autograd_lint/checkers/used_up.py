"""Generators that are gone through a second time, when they give nothing any more."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Created, noted_at
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import CERTAINLY
from autograd_lint.libraries.torch.modules.opaque_parameters import stands_for_several
from autograd_lint.places import Place
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import IterationBegun, NameBound
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items


@dataclass(slots=True, eq=False, repr=False)
class UsedUp(Checker):
    """What gives its elements once, by identity, and is told of already; where it got a name."""

    told: set[int] = field(default_factory=set)
    bound: dict[int, Place] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, NameBound, cls.name_bound)
        to.add(cls, IterationBegun, cls.iteration_begun)

    def name_bound(self, interp: Interpreter, event: NameBound) -> None:
        """A name is about to mean something."""
        if isinstance(event.value, Items) and event.value.single_pass:
            self.bound.setdefault(id(event.value), interp.place(event.target))

    def iteration_begun(self, interp: Interpreter, event: IterationBegun) -> None:
        """An iterable is gone through."""
        sequence = event.sequence
        if not isinstance(sequence, Items) or not sequence.single_pass:
            return
        if sequence.used is not None and id(sequence) not in self.told:
            self.told.add(id(sequence))
            note(
                interp,
                Pitfall.USED_UP,
                interp.place(event.node),
                built=Created(sequence.used, "iteration"),
                noted=noted_at(self.bound.get(id(sequence)), "made here"),
                assumptions=_of_module(sequence),
            )


def _of_module(sequence: Items) -> frozenset[Assumption]:
    """What must hold of something unknown that has listed its parameters: that it is a module,
    which lists them in a generator."""
    given = next(tensors_in(sequence), None)
    if given is None or not stands_for_several(given):
        return CERTAINLY
    return given.requires or CERTAINLY
