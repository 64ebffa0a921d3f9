"""Parameters that were given the memory of others, where a copy was meant.

for mine, other in zip(target.parameters(), online.parameters()):
    mine.data = other.data         # from now on every step of `online` moves `target` as well
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Modified, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import DataSet, Detached, OperatorRun, ParameterMoved
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

MEANT_AS_COPY = Assumption(Kind.MEANT_AS_COPY, weight=0)


@dataclass(slots=True, eq=False, repr=False)
class Shared:
    """`mine` was given the memory of `other`; `again`: more than once, which only copies need.

    `moved` is the last step of an optimizer that has one of them, `still` the one that it has not.
    """

    mine: Tensor
    other: Tensor
    place: Place
    again: bool = False
    moved: Modified | None = None
    still: Tensor | None = None


@dataclass(slots=True, eq=False, repr=False)
class SharedParameters(Checker):
    """The parameters that share memory, by the one that was set; `sources` are the parameters that
    aliases were taken from."""

    shared: dict[int, Shared] = field(default_factory=dict)
    sources: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, Detached, cls.detached)
        to.add(cls, DataSet, cls.data_set)
        to.add(cls, ParameterMoved, cls.moved)
        to.add(cls, OperatorRun, cls.ran, waits=True)

    def detached(self, interp: Interpreter, event: Detached) -> None:
        """An alias is taken of a parameter, or of an alias of one."""
        _, source = self.sources.get(id(event.source), (None, event.source))
        if source.parameter:
            self.sources[id(event.alias)] = event.alias, source

    def data_set(self, interp: Interpreter, event: DataSet) -> None:
        """`mine.data = value`."""
        _, other = self.sources.get(id(event.value), (None, event.value))
        before = self.shared.pop(id(event.tensor), None)
        if event.tensor.parameter and other.parameter and other is not event.tensor:
            again = before is not None and before.other is other
            self.shared[id(event.tensor)] = Shared(event.tensor, other, event.place, again)

    def moved(self, interp: Interpreter, event: ParameterMoved) -> None:
        """An optimizer has written a parameter, and with it what shares its memory."""
        for one in self.shared.values():
            if event.tensor is one.mine or event.tensor is one.other:
                one.moved = event.event
                one.still = one.other if event.tensor is one.mine else one.mine

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: on a parameter that was moved with another one?"""
        if not any(one.moved for one in self.shared.values()):
            return
        tensors = event.operation.tensors()
        for one in self.shared.values():
            used = one.moved is not None and any(tensor is one.still for tensor in tensors)
            if used and not _are_trained_together(interp, one):
                note(
                    interp,
                    Pitfall.MEMORY_SHARED,
                    one.place,
                    tensor=one.mine.name,
                    modified=one.moved,
                    needed=Needed(event.operation.place, "use"),
                    assumptions=frozenset() if one.again else frozenset({MEANT_AS_COPY}),
                )


def _are_trained_together(interp: Interpreter, one: Shared) -> bool:
    """Whether an optimizer has both: then they are tied, and not a copy."""
    for stepping in interp.state(TrainingRecord).optimizers.values():
        own = {id(tensor) for tensor in optimized(stepping.optimizer)}
        if {id(one.mine), id(one.other)} <= own:
            return True
    return False
