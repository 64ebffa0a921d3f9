"""Adapters that are put around layers, and layers that take the place of others, which are then
frozen together with what was there.

model.fc = Adapter(model.fc)       # or `nn.Linear(512, 10)`, which an optimizer has
for p in model.parameters():       # these are those of the adapter as well
    p.requires_grad = False
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord, stepped
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.unoptimized import as_it_was_made
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import StateLoaded
from autograd_lint.libraries.torch.modules.modules import modules, parameters
from autograd_lint.places import Place
from autograd_lint.vm.events import AttributeSet, PartSet
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, External, Instance, Value


@immutable
class Adapter:
    """A module that was put in the place of a layer which it holds: what its class is called,
    where, the parameters of its own, and those of the layer.

    Of one that does not hold the layer, `around` is the module that got it.
    """

    name: str
    place: Place
    own: tuple[Tensor, ...]
    inner: tuple[Tensor, ...]
    around: Instance | None = None


@dataclass(slots=True, eq=False, repr=False)
class FrozenAdapters(Checker):
    """The adapters, and which parameters were loaded with values."""

    adapters: list[Adapter] = field(default_factory=list)
    loaded: set[int] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, AttributeSet, cls.attribute_set)
        to.add(cls, PartSet, cls.part_set)
        to.add(cls, StateLoaded, cls.state_loaded)

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """An attribute of a module is about to be set."""
        if isinstance(event.owner, Instance) and is_module(event.owner):
            before = event.owner.attributes.get(event.name)
            self._replaced(interp, event.owner, before, event.value, event.node)

    def part_set(self, interp: Interpreter, event: PartSet) -> None:
        """A module is about to get a part in the place of another one."""
        self._replaced(interp, event.owner, event.before, event.value, event.node)

    def _replaced(
        self, interp: Interpreter, owner: Value, before: Value, value: Value, node: ast.AST
    ) -> None:
        """A module takes the place of one: has it parameters that the other one has not?"""
        if not isinstance(before, Instance) or not isinstance(value, Instance):
            return
        holds = any(one is before for one in modules(value))
        around = owner if isinstance(owner, Instance) and not holds else None
        if around is None and not (holds and isinstance(value.cls, Class)):
            return
        inner = tuple(tensor for _, tensor in parameters(before))
        known = {id(tensor) for tensor in inner}
        own = tuple(tensor for _, tensor in parameters(value) if id(tensor) not in known)
        if any(tensor.requires is not None for tensor in own):
            name = _name_of(value)
            self.adapters.append(Adapter(name, interp.place(node), own, inner, around))

    def state_loaded(self, interp: Interpreter, event: StateLoaded) -> None:
        """A parameter gets values that were trained before."""
        self.loaded.add(id(event.parameter))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which adapters were frozen by the line that froze their layers, where
        something is trained?"""
        passes = interp.engine.backward.passes
        if not any(walk.call.accumulate and any(walk.leaves()) for walk in passes):
            return  # that nothing at all is trained is an error, and told as one
        frozen = interp.state(LeafRecord).off
        for one in self.adapters:
            place = _frozen_at(one, frozen)
            loaded = any(id(tensor) in self.loaded for tensor in one.own)
            if place is None or loaded or (one.around is not None and not _is_left(interp, one)):
                continue
            note(
                interp,
                Pitfall.ADAPTER_FROZEN,
                place,
                tensor=one.name,
                built=Created(one.place, one.name),
                assumptions=frozenset({Assumption(Kind.MEANT_TO_LEARN, one.name, weight=0)}),
            )


def _name_of(module: Instance) -> str:
    cls = module.cls
    return cls.path.rpartition(".")[2] if isinstance(cls, External) else cls.name


def _frozen_at(adapter: Adapter, frozen: Mapping[int, Place]) -> Place | None:
    """The line that froze an adapter and its layer, or a new layer and another one beside it."""
    places = {frozen.get(id(tensor)) for tensor in adapter.own}
    beside = [frozen.get(id(tensor)) for tensor in _beside(adapter)]
    place = next(iter(places), None)
    together = {*beside} == {place} if adapter.around is None else place in beside
    return place if len(places) == 1 and together else None


def _beside(adapter: Adapter) -> Iterable[Tensor]:
    """The parameters that were there: of the layer, or of the module that got another one."""
    if adapter.around is None:
        return adapter.inner
    own = {id(tensor) for tensor in adapter.own}
    return (tensor for _, tensor in parameters(adapter.around) if id(tensor) not in own)


def _is_left(interp: Interpreter, layer: Adapter) -> bool:
    """Whether a new layer is as it was drawn, and an optimizer was to train it."""
    optimized = {id(tensor) for tensor in stepped(interp)}
    return all(id(tensor) in optimized and as_it_was_made(tensor) for tensor in layer.own)
