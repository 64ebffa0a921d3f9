"""A fresh leaf in the place of a loss: backward runs, and no parameter gets a gradient."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord, stepped
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False)
class LeafForLoss(Checker):
    """The leaves of plain numbers that backward began at, with where they were made."""

    roots: list[tuple[Tensor, Created, Pass]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: at a tensor that was made of numbers?"""
        walk = event.walk
        leaf = walk.starts[0].leaf if len(walk.starts) == 1 else None
        if leaf is None or leaf.parameter or leaf.anew is None or leaf.graph_breaks:
            return
        if walk.call.accumulate and not walk.call.gradient_given and leaf.shape in ((), (1,)):
            self.roots.append((leaf, leaf.anew[1], walk))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which of them are trained themselves?"""
        moved = stepped(interp)
        trained = {id(leaf) for leaf in moved} | interp.state(LeafRecord).asked.keys()
        reached = {id(one) for walk in interp.engine.backward.passes for one in walk.leaves()}
        for leaf, made, walk in self.roots:
            if id(leaf) in trained:
                continue
            others = bool(moved) or len(reached) > 1 or walk.call.place is None
            because = Assumption(Kind.MEANT_TO_LEARN, "the module", weight=0 if others else 1)
            note(
                interp,
                Pitfall.LEAF_FOR_LOSS,
                made.place,
                tensor=leaf.name,
                operator=made.operator,
                needed=Needed(walk.call.place, walk.call.name) if walk.call.place else None,
                assumptions=walk.call.assumptions | {because},
            )
