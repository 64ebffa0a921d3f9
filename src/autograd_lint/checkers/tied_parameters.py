"""Parameters made of another one, which go apart where one loss trains both."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import DataSet, Detached, ParameterMade
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class TiedParameters(Checker):
    """Each parameter that was made of another one, or was given its memory, with that, and where.

    `sources` are the parameters that aliases were taken from, by the identity of these.
    """

    tied: list[tuple[Tensor, Tensor, Place]] = field(default_factory=list)
    sources: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ParameterMade, cls.made)
        to.add(cls, Detached, cls.detached)
        to.add(cls, DataSet, cls.data_set)

    def made(self, interp: Interpreter, event: ParameterMade) -> None:
        """`nn.Parameter(other.weight)`."""
        if event.data.parameter:
            self.tied.append((event.made, event.data, interp.place(event.node)))

    def detached(self, interp: Interpreter, event: Detached) -> None:
        """An alias is taken of a parameter."""
        if event.source.parameter:
            self.sources[id(event.alias)] = event.alias, event.source

    def data_set(self, interp: Interpreter, event: DataSet) -> None:
        """`mine.data = other.data`."""
        _, other = self.sources.get(id(event.value), (None, event.value))
        if event.tensor.parameter and other.parameter and other is not event.tensor:
            self.tied.append((event.tensor, other, event.place))

    def end(self, interp: Interpreter) -> None:
        """The run is over: did a backward get to both?"""
        if not self.tied:
            return
        received = [{id(leaf) for leaf in walk.leaves()} for walk in interp.engine.backward.passes]
        for made, original, place in self.tied:
            if any({id(made), id(original)} <= leaves for leaves in received):
                note(
                    interp,
                    Pitfall.TIED_APART,
                    place,
                    leaf=original,
                )
