"""Adapters that are put around layers, and then frozen together with them.

model.fc = Adapter(model.fc)
for p in model.parameters():       # these are those of the adapter as well
    p.requires_grad = False
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.noting import note
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
from autograd_lint.vm.values import Class, Instance, Value


@immutable
class Adapter:
    """A module that was put in the place of a layer which it holds: its class, where, the
    parameters of its own, and those of the layer."""

    cls: Class
    place: Place
    own: tuple[Tensor, ...]
    inner: tuple[Tensor, ...]


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
            self._replaced(interp, before, event.value, event.node)

    def part_set(self, interp: Interpreter, event: PartSet) -> None:
        """A module is about to get a part in the place of another one."""
        self._replaced(interp, event.before, event.value, event.node)

    def _replaced(self, interp: Interpreter, before: Value, value: Value, node: ast.AST) -> None:
        """A module takes the place of one: does it hold that, and has parameters of its own?"""
        if not isinstance(before, Instance) or not isinstance(value, Instance):
            return
        if not isinstance(value.cls, Class) or not any(one is before for one in modules(value)):
            return
        inner = tuple(tensor for _, tensor in parameters(before))
        known = {id(tensor) for tensor in inner}
        own = tuple(tensor for _, tensor in parameters(value) if id(tensor) not in known)
        if any(tensor.requires is not None for tensor in own):
            self.adapters.append(Adapter(value.cls, interp.place(node), own, inner))

    def state_loaded(self, interp: Interpreter, event: StateLoaded) -> None:
        """A parameter gets values that were trained before."""
        self.loaded.add(id(event.parameter))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which adapters were frozen by the line that froze their layers, where
        something is trained?"""
        if not any(walk.call.accumulate for walk in interp.engine.backward.passes):
            return
        frozen = interp.state(LeafRecord).off
        for one in self.adapters:
            places = {frozen.get(id(tensor)) for tensor in (*one.own, *one.inner)}
            place = next(iter(places), None)
            loaded = any(id(tensor) in self.loaded for tensor in one.own)
            if len(places) == 1 and place is not None and one.inner and not loaded:
                note(
                    interp,
                    Pitfall.ADAPTER_FROZEN,
                    place,
                    tensor=one.cls.name,
                    built=Created(one.place, one.cls.name),
                    assumptions=frozenset(
                        {Assumption(Kind.MEANT_TO_LEARN, one.cls.name, weight=0)}
                    ),
                )
