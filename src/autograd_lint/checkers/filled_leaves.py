"""Numbers of a graph written under `no_grad` into the leaf that a loss hangs on."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord, stepped
from autograd_lint.checkers.noting import note
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.places import Place
from autograd_lint.vm.arrays import behind
from autograd_lint.vm.events import ElementStored
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class FilledLeaves(Checker):
    """The leaves that were filled, each with an end of a graph among the values, and where."""

    filled: list[tuple[Tensor, GraphBreak, Place]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ElementStored, cls.stored)

    def stored(self, interp: Interpreter, event: ElementStored) -> None:
        """An element is set: of a leaf that requires grad, to what has left its graph?"""
        leaf = event.owner
        if not isinstance(leaf, Tensor) or leaf.requires is None or leaf.node is not None:
            return
        cuts = () if interp.engine.grad_enabled or leaf.parameter else behind([event.value])
        if cuts:
            self.filled.append((leaf, cuts[0], interp.place(event.target)))

    def end(self, interp: Interpreter) -> None:
        """The run is over: does a loss hang on such a leaf, and on nothing that was filled in?"""
        reached = interp.engine.backward.received
        wanted = {id(leaf) for leaf in stepped(interp)} | interp.state(LeafRecord).asked.keys()
        for leaf, cut, place in self.filled:
            lost = [one for one in leaves_of([cut.source]) if id(one) not in reached]
            if id(leaf) in reached and id(leaf) not in wanted and lost:
                note(
                    interp,
                    Pitfall.LEAF_FILLED,
                    place,
                    leaf=leaf,
                    operator=cut.event.operator,
                    built=cut.event,
                    assumptions=cut.assumptions,
                )
