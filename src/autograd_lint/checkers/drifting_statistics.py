"""Frozen layers whose running statistics still move: batch normalization in training mode.

for p in backbone.parameters():
    p.requires_grad = False
backbone.eval()
for epoch in range(epochs):
    model.train()                       # puts the backbone into training mode, too
    loss = criterion(model(x), y)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import has_trained_alone, is_of_caller
from autograd_lint.checkers.leaf_record import LeafRecord, stepped
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.targets import CopiedParameters
from autograd_lint.checkers.unoptimized import BEGINNINGS
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import MODE_UNDONE, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import AttributeRegistered, RequiresGradAsked, StepBegun
from autograd_lint.libraries.torch.modules.modules import modules, parameters
from autograd_lint.libraries.torch.modules.states import LOADING
from autograd_lint.places import Place
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.instances import outside_name
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance

NORMALIZING = ("BatchNorm", "SyncBatchNorm", "LazyBatchNorm")


@dataclass(slots=True, eq=False, repr=False)
class Mode:
    """Where the mode of a layer was set last, and of which module, and the modules that were put
    into evaluation mode with it, now or before."""

    place: Place
    module: Instance
    evaluated: frozenset[Instance]


@dataclass(frozen=True, slots=True, eq=False)
class Drift:
    """A frozen layer that was called in training mode, and what had put it there."""

    weight: Tensor
    layer: Instance
    place: Place
    frozen_at: Place
    mode: Mode | None


@dataclass(slots=True, eq=False, repr=False)
class DriftingStatistics(Checker):
    """The parameters that the program has switched on and the modes of layers, by identity, and the
    calls of frozen layers, which a step has to follow."""

    switched_on: set[int] = field(default_factory=set)
    modes: dict[int, Mode] = field(default_factory=dict)
    called: dict[int, Drift] = field(default_factory=dict)
    drifts: dict[int, Drift] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, RequiresGradAsked, cls.flag_asked)
        to.add(cls, AttributeRegistered, cls.registered)
        to.add(cls, ModuleCalled, cls.module_called, only=is_normalization)
        to.add(cls, StepBegun, cls.step_begun)

    def flag_asked(self, interp: Interpreter, event: RequiresGradAsked) -> None:
        """A parameter is switched on."""
        if event.value:
            self.switched_on.add(id(event.tensor))

    def registered(self, interp: Interpreter, event: AttributeRegistered) -> None:
        """A module is put into a mode, and its layers with it."""
        if event.name != "training" or not isinstance(event.value, bool):
            return
        place = interp.place(event.node)
        for layer in filter(normalizes, modules(event.module)):
            before = self.modes.get(id(layer))
            evaluated = before.evaluated if before is not None else frozenset()
            now = frozenset() if event.value else frozenset({event.module})
            self.modes[id(layer)] = Mode(place, event.module, evaluated | now)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A layer has given a result: is it frozen, and in training mode?"""
        layer = event.module
        if not isinstance(layer, Instance) or not normalizes(layer):
            return
        weight = layer.attributes.get("weight")
        if layer.attributes.get("training") is not True or not isinstance(weight, Tensor):
            return
        frozen_at = interp.state(LeafRecord).off.get(id(weight))
        if frozen_at is not None and weight.requires is None:
            place, mode = interp.place(event.call.node), self.modes.get(id(layer))
            self.called[id(layer)] = Drift(weight, layer, place, frozen_at, mode)

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer steps: what was called before it takes part in a training."""
        self.drifts.update(self.called)
        self.called = {}

    def end(self, interp: Interpreter) -> None:
        """The run is over: which frozen layers have moved all the same?"""
        if not self.drifts or not has_trained_alone(interp) or not stepped(interp):
            return
        filled = interp.state(CopiedParameters).filled
        for one in self.drifts.values():
            weight = one.weight
            copied = weight.storage.memory in filled or id(weight) in self.switched_on
            if not copied and _is_as_loaded(weight) and not is_of_caller(interp, one.layer):
                _note(interp, one)


def _note(interp: Interpreter, one: Drift) -> None:
    undone = one.mode is not None and _was_evaluated_apart(one.mode)
    place = one.mode.place if one.mode is not None else one.frozen_at
    meant = Assumption(Kind.MEANT_TO_STAY, one.weight.name or "", weight=0 if undone else 2)
    note(
        interp,
        Pitfall.STATISTICS_DRIFT,
        place,
        tensor=one.weight.name,
        detail=MODE_UNDONE if undone else "",
        built=Created(one.frozen_at, "requires_grad"),
        needed=Needed(one.place, "call"),
        assumptions=frozenset({meant}),
    )


def _was_evaluated_apart(mode: Mode) -> bool:
    """Whether a part that is frozen altogether was put into evaluation mode; that of a whole model
    says nothing of its frozen layers, because each validation does that. A part that is itself put
    into training mode afterwards was evaluated, and is to go on."""
    return any(_is_frozen_altogether(one) for one in mode.evaluated if one is not mode.module)


def _is_frozen_altogether(part: Instance) -> bool:
    return all(one.requires is None for _, one in parameters(part))


def normalizes(module: Instance) -> bool:
    """Whether a module is a layer with running statistics."""
    tracks = module.options.get("track_running_stats") is not False
    return tracks and is_normalization(outside_name(module))


def is_normalization(name: str) -> bool:
    """Whether a class of that name is a layer that may have running statistics."""
    return name.startswith(NORMALIZING)


def _is_as_loaded(weight: Tensor) -> bool:
    """Whether the program has only loaded a parameter, or begun with it: it follows no other."""
    written = [*weight.storage.writes, *weight.storage.unversioned_writes]
    return all(write.event.operator in BEGINNINGS | {LOADING} for write in written)
