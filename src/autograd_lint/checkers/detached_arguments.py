"""`detach_()` of an argument: whoever called goes on with a tensor that has lost its graph."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import DetachedInPlace, OperatorRun
from autograd_lint.places import Place
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@immutable
class Taken:
    """An argument that a function has detached, and what made it require grad."""

    tensor: Tensor
    frame: Frame
    place: Place
    requires: frozenset[Assumption]


@dataclass(slots=True, eq=False, repr=False)
class DetachedArguments(Checker):
    """The arguments that functions have detached, by identity."""

    taken: dict[int, Taken] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, DetachedInPlace, cls.detached)
        to.add(cls, OperatorRun, cls.ran, waits=True)

    def detached(self, interp: Interpreter, event: DetachedInPlace) -> None:
        """A tensor loses its graph: was it handed to the function at work?"""
        tensor, frame = event.tensor, interp.frame
        computed = tensor.node is not None and tensor.requires_grad is not None
        if not computed or frame.function is None or len(interp.frames) < 2:
            return
        given = frame.function.node.args
        names = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
        if any(frame.scope.names.get(name) is tensor for name in names):
            requires = tensor.requires_grad or frozenset()
            self.taken[id(tensor)] = Taken(tensor, frame, interp.place(event.node), requires)

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: on what a function that is left has detached?"""
        if not interp.engine.recording:
            return
        for tensor in event.operation.tensors():
            taken = self.taken.get(id(tensor))
            if taken is None or taken.tensor is not tensor or taken.frame in interp.frames:
                continue
            if any(result.node is not None for result in event.results):
                note(
                    interp,
                    Pitfall.ARGUMENT_DETACHED,
                    taken.place,
                    tensor=tensor.name,
                    operator="detach_",
                    assumptions=taken.requires,
                )
