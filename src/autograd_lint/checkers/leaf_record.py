"""The leaves of a run: who made them, whose gradients are asked for, which are there to be trained.

It tells of no pitfall itself; several checkers read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import (
    AttributeRegistered,
    GradientRead,
    GradientsAsked,
    LeafMade,
    RequiresGradAsked,
    RequiresGradSet,
    TrainedByHarness,
)
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.libraries.torch.training.running import in_forward
from autograd_lint.places import Place
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.events import AttributeSet, ConstructorRun
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance


@dataclass(slots=True, eq=False, repr=False)
class LeafRecord(Listener):
    """The leaves that factories have `made`, those of them that are `typed` or `passing` (made in a
    `forward`), and those `flagged` afterwards.

    `asked` are the tensors whose gradient the program itself has asked for, `flag_places` where
    the flag of a tensor was set, `off` where it was asked for to be off, all by identity.
    `harnessed` are parameters that a harness has trained, `unmoved` those that no gradient is
    there to move, `buffers` what modules have registered as such, `constructed` the objects
    whose constructors were run.
    """

    made: list[Tensor] = field(default_factory=list)
    typed: set[Tensor] = field(default_factory=set)
    passing: set[Tensor] = field(default_factory=set)
    flagged: list[Tensor] = field(default_factory=list)
    asked: dict[int, Tensor] = field(default_factory=dict)
    flag_places: dict[int, Place] = field(default_factory=dict)
    off: dict[int, Place] = field(default_factory=dict)
    harnessed: list[Tensor] = field(default_factory=list)
    unmoved: set[Tensor] = field(default_factory=set)
    buffers: set[Tensor] = field(default_factory=set)
    constructed: list[Instance] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, LeafMade, cls.leaf_made)
        to.add(cls, RequiresGradAsked, cls.flag_asked)
        to.add(cls, RequiresGradSet, cls.flag_set)
        to.add(cls, GradientRead, cls.gradient_read)
        to.add(cls, GradientsAsked, cls.gradients_asked)
        to.add(cls, TrainedByHarness, cls.trained)
        to.add(cls, AttributeRegistered, cls.registered)
        to.add(cls, AttributeSet, cls.attribute_set)
        to.add(cls, ConstructorRun, cls.constructor_run)

    def leaf_made(self, interp: Interpreter, event: LeafMade) -> None:
        self.made.append(event.tensor)
        if event.typed:
            self.typed.add(event.tensor)
        if in_forward(interp):
            self.passing.add(event.tensor)

    def flag_asked(self, interp: Interpreter, event: RequiresGradAsked) -> None:
        if event.value:
            self.off.pop(id(event.tensor), None)
        else:
            self.off[id(event.tensor)] = event.place

    def flag_set(self, interp: Interpreter, event: RequiresGradSet) -> None:
        self.flag_places[id(event.tensor)] = event.place
        if event.fresh:
            self.flagged.append(event.tensor)

    def gradient_read(self, interp: Interpreter, event: GradientRead) -> None:
        self.asked[id(event.tensor)] = event.tensor

    def gradients_asked(self, interp: Interpreter, event: GradientsAsked) -> None:
        self.asked.update((id(tensor), tensor) for tensor in event.tensors)

    def trained(self, interp: Interpreter, event: TrainedByHarness) -> None:
        self.harnessed.extend(event.tensors)

    def registered(self, interp: Interpreter, event: AttributeRegistered) -> None:
        """A parameter that is a buffer as well is there to stay as it is."""
        tensor = tensor_of(event.value)
        if event.buffer and tensor is not None:
            self.buffers.add(tensor)
            if tensor.parameter:
                self.unmoved.add(tensor)

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """A parameter takes the place of another one while its module runs."""
        owner, now = event.owner, event.value
        if not isinstance(now, Tensor) or not isinstance(owner, Instance) or not is_module(owner):
            return
        before = owner.attributes.get(event.name)
        if not isinstance(before, Tensor) or before is now or not before.parameter:
            return
        if in_forward(interp):
            self.unmoved.update((before, now))

    def constructor_run(self, interp: Interpreter, event: ConstructorRun) -> None:
        self.constructed.append(event.instance)


def wanted_leaves(interp: Interpreter) -> dict[int, Tensor]:
    """The leaves that the program is there to train, by identity: those that an optimizer steps,
    and those that it has made to require grad."""
    moved = stepped(interp)
    return {id(leaf): leaf for leaf in (*moved, *interp.state(LeafRecord).made)}


def stepped(interp: Interpreter) -> list[Tensor]:
    """The parameters of the optimizers that have stepped."""
    known = interp.state(TrainingRecord).optimizers.values()
    return [leaf for one in known if one.steps for leaf in optimized(one.optimizer)]
