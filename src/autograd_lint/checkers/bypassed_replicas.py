"""Modules that are trained past the `DistributedDataParallel` that averages their gradients.

ddp = DistributedDataParallel(net)
loss = criterion(ddp.module(x), y)    # not ddp(x): each process keeps its own gradients
loss.backward()
optimizer.step()
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import GradientRead, ReplicaMade, StepBegun
from autograd_lint.libraries.torch.modules.modules import modules, parameters
from autograd_lint.places import Place
from autograd_lint.vm.events import FunctionLeft, GivenToUnknownCode, ModuleCalled
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Value


@dataclass(slots=True, eq=False, repr=False)
class Replica:
    """A module inside of a wrapper, since the last step: the outermost call past the wrapper, and
    how deep in the program it is. `is_averaged` says that the wrapper was called, or that the
    program may have averaged the gradients by itself."""

    wrapper: Instance
    module: Instance
    call: Place | None = None
    depth: int = 0
    is_averaged: bool = False

    def has(self, part: Value) -> bool:
        """Whether a value is the module, or a part of it."""
        return isinstance(part, Instance) and any(part is one for one in modules(self.module))

    def passed_by(self, call: Place, depth: int) -> None:
        """The module, or a part of it, was called."""
        if self.call is None or depth < self.depth:
            self.call, self.depth = call, depth


@dataclass(slots=True, eq=False, repr=False)
class BypassedReplicas(Checker):
    """The wrapped modules of this run."""

    replicas: list[Replica] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ReplicaMade, cls.made)
        to.add(cls, ModuleCalled, cls.module_called, waits=True)
        to.add(cls, FunctionLeft, cls.function_left, waits=True)
        to.add(cls, GradientRead, cls.gradient_read)
        to.add(cls, GivenToUnknownCode, cls.given)
        to.add(cls, StepBegun, cls.step_begun)

    def made(self, interp: Interpreter, event: ReplicaMade) -> None:
        """A module was wrapped."""
        self.replicas.append(Replica(event.wrapper, event.module))

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result: is it the wrapper, or what stands in it?"""
        if event.node is not None:
            self._called(interp, event.module, interp.place(event.call.node))

    def function_left(self, interp: Interpreter, event: FunctionLeft) -> None:
        """A method of the module may have given a result."""
        if self.replicas and graph_of(event.value) is not None:
            self._called(interp, event.receiver, interp.place(event.call.node))

    def _called(self, interp: Interpreter, module: Value, place: Place) -> None:
        for replica in self.replicas:
            if module is replica.wrapper:
                replica.is_averaged = True
            elif replica.has(module):
                replica.passed_by(place, len(interp.frames))

    def gradient_read(self, interp: Interpreter, event: GradientRead) -> None:
        """The program reads a gradient: it may average it over the processes."""
        for replica in self.replicas:
            if _owns(replica, event.tensor):
                replica.is_averaged = True

    def given(self, interp: Interpreter, event: GivenToUnknownCode) -> None:
        """Unknown code is given a module, whose gradients it may average."""
        for replica in self.replicas:
            given = (*event.call.args, *event.call.keywords.values())
            if any(one is replica.wrapper or one is replica.module for one in given):
                replica.is_averaged = True

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer uses gradients: were they averaged?"""
        for replica in self.replicas:
            used = [tensor for tensor in event.tensors if _owns(replica, tensor)]
            if not used:
                continue
            fresh = any(one.fresh for one in interp.state(TrainingRecord).of(used))
            if fresh and replica.call is not None and not replica.is_averaged:
                needed = Needed(event.place, event.name)
                note(interp, Pitfall.REPLICA_BYPASSED, replica.call, needed=needed)
            replica.call, replica.is_averaged = None, False


def _owns(replica: Replica, tensor: Tensor) -> bool:
    return any(own is tensor for _, own in parameters(replica.module))
