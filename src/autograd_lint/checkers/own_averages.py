"""Moving averages of a network with itself: two names, one module, and no copy.

self.average = self.net
for p, q in zip(self.average.parameters(), self.net.parameters()):
    p.data.copy_(0.999 * p.data + 0.001 * q.data)     # changes nothing
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import stepped
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.shared_parameters import MEANT_AS_COPY
from autograd_lint.checkers.weight_averages import WeightAverages
from autograd_lint.engine.events import Needed, Noted
from autograd_lint.engine.pitfalls import OWN_AVERAGE, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.places import Place
from autograd_lint.vm.events import AttributeSet
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Mapping

MOST = 64  # attributes that are remembered


@dataclass(slots=True, eq=False, repr=False)
class OwnAverages(Checker):
    """The modules and states that attributes were set to, and where; and the modules that have
    them as parts."""

    set_at: list[tuple[Instance | Mapping, Place]] = field(default_factory=list)
    parts: list[tuple[Instance, Instance]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, AttributeSet, cls.attribute_set)

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """An attribute is about to hold something."""
        if isinstance(event.value, (Instance, Mapping)) and len(self.set_at) < MOST:
            self.set_at.append((event.value, interp.place(event.node)))
            part, owner = event.value, event.owner
            if isinstance(part, Instance) and isinstance(owner, Instance) and is_module(owner):
                self.parts.append((part, owner))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which trained weights were averaged with themselves?

        A part that two networks share is averaged beside others that have a copy; where not all
        that a loop goes through is known, there may be such others.
        """
        averages = interp.state(WeightAverages)
        moved = {averages.memory(leaf) for leaf in stepped(interp)} if averages.alone else set()
        others = [one for found in averages.writes.values() for one in found if one.blended]
        beside = {(one.place, one.called_at) for one in others}
        for own, written in averages.alone.items():
            beside_copies = (written.place, written.called_at) in beside
            shared = beside_copies or (written.partial and self._is_shared(averages, own))
            if own in moved and not shared:
                is_here = written.source is interp.world.source
                called_at = None if is_here else written.called_at
                note(
                    interp,
                    Pitfall.OWN_STATE,
                    called_at or written.place,
                    tensor=averages.tensors[own].name,
                    detail=OWN_AVERAGE,
                    needed=Needed(written.place, "write") if called_at else None,
                    noted=self._second_name(interp, averages, own),
                    assumptions=frozenset({MEANT_AS_COPY}),
                )
                return

    def _is_shared(self, averages: WeightAverages, own: int) -> bool:
        """Whether weights belong to a module that two others have as a part."""
        owners: dict[int, set[int]] = {}
        for part, owner in self.parts:
            if any(averages.memory(one) == own for one in _weights_of(part)):
                owners.setdefault(id(part), set()).add(id(owner))
        return any(len(one) > 1 for one in owners.values())

    def _second_name(
        self, interp: Interpreter, averages: WeightAverages, own: int
    ) -> tuple[Noted, ...]:
        """Where weights got a second name: an attribute holds their state, or their module too."""
        modules: set[int] = set()
        for value, place in self.set_at:
            named = _weights_of(value)
            if not any(averages.memory(one) == own for one in named):
                continue
            if isinstance(value, Mapping) or id(value) in modules:
                return (Noted(place, "the same weights get a second name here"),)
            modules.add(id(value))
        return ()


def _weights_of(value: Instance | Mapping) -> list[Tensor]:
    """The parameters of a module, or the tensors of a state."""
    if isinstance(value, Mapping):
        return [one for one in value.entries.values() if isinstance(one, Tensor)]
    return [tensor for _, tensor in parameters(value)] if is_module(value) else []
