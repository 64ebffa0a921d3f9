"""Where networks were called outside of any `forward`: the lines that an author takes for the way
from one network to another.

It tells of no pitfall itself; several checkers read it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Set
from dataclasses import dataclass, field

from autograd_lint.engine.graph import Node
from autograd_lint.engine.walk import leads_to, reached
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.modules.opaque_modules import own_parameters
from autograd_lint.libraries.torch.training.running import in_forward
from autograd_lint.places import Place
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Unknown

Leaves = Set[int]  # by identity
MOST = 256  # calls that are remembered


@immutable
class NetworkCall:
    """A call of a module."""

    module: Instance | Unknown
    result: Node
    place: Place


@dataclass(slots=True, eq=False, repr=False)
class NetworkCalls(Listener):
    """The last calls: the module, the node of its result, and where it was called."""

    calls: deque[NetworkCall] = field(default_factory=lambda: deque(maxlen=MOST))

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleCalled, cls.module_called)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result."""
        if event.node is not None and event.itself and not in_forward(interp):
            place = interp.place(event.call.node)
            self.calls.append(NetworkCall(event.module, event.node, place))

    def way_to(self, leaves: Leaves, order: Collection[Node]) -> Place | None:
        """The first call among some nodes whose result leads to some leaves, although the module
        that was called has none of them; None where there is no such call."""
        for one in self._among({id(node) for node in order}):
            foreign = leaves.isdisjoint(map(id, own_parameters(one.module)))
            if foreign and leads_to([one.result], leaves):
                return one.place
        return None

    def last_of(self, leaves: Leaves, result: Node) -> Place | None:
        """The last call behind a result that leads to some leaves; None where there is none."""
        found = None
        for one in self._among(reached([result]).keys()):
            found = one.place if leads_to([one.result], leaves) else found
        return found

    def _among(self, nodes: Collection[int]) -> list[NetworkCall]:
        """The calls whose results are among some nodes, by identity, the first ones first."""
        inside = (one for one in self.calls if id(one.result) in nodes)
        return sorted(inside, key=lambda one: one.result.sequence)
