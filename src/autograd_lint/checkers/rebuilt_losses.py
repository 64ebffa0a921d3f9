"""Backwards from a copy of a loss: all that they get to is the copy itself.

loss = torch.tensor(criterion(model(x), y), requires_grad=True)
loss.backward()                                # only `loss` itself has a gradient
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import ADDITIVE, SCALING
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward import Pass, backward
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import BackwardEnded, PassBegun
from autograd_lint.vm.grad_modes import in_custom_function
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

ARITHMETIC = ADDITIVE | SCALING | {"stack", "cat", "unsqueeze", "view", "reshape", "squeeze"}


@immutable
class Rebuilt:
    """A copy of a loss, the end of the loss's graph, and the backward that began at the copy."""

    copy: Tensor
    graph_break: GraphBreak
    needed: Needed


@dataclass(slots=True, eq=False, repr=False)
class RebuiltLosses(Checker):
    """The copies of losses, and the last backward that began at some."""

    rebuilt: list[Rebuilt] = field(default_factory=list)
    last: Pass | None = None

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, BackwardEnded, cls.ended)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: from copies of losses?"""
        walk = event.walk
        if not walk.call.fills_gradients or in_custom_function(interp):
            return
        copies = _copies(walk)
        if copies:
            needed = Needed(walk.call.place, walk.call.name)
            self.rebuilt += [Rebuilt(leaf, leaf.graph_breaks[0], needed) for leaf in copies]
            self.last = walk

    def ended(self, interp: Interpreter, event: BackwardEnded) -> None:
        """After a backward from copies of losses the run goes on as if it had begun at the losses.

        They keep their graph, for the program may differentiate them yet.
        """
        if not self.rebuilt or not interp.engine.backward.passes:
            return
        call = interp.engine.backward.passes[-1].call
        copied = {id(one.copy): one.graph_break.source for one in self.rebuilt}
        sources = [copied[id(root)] for root in call.roots if id(root) in copied]
        plain = [node for node in sources if node.leaf is None and not node.opaque]
        losses = [Tensor(node=node, requires=node.requires, shape=()) for node in plain]
        if losses:
            assumptions = call.assumptions | {Assumption(Kind.OF_LOSS_ITSELF, weight=0)}
            again = replace(call, roots=losses, retain_graph=True, assumptions=assumptions)
            backward(interp.engine, again)

    def end(self, interp: Interpreter) -> None:
        """The run is over: of which copies does the program not ask for their own gradient?"""
        leaves = interp.state(LeafRecord)
        for one in self.rebuilt:
            if id(one.copy) not in leaves.asked:
                made = one.graph_break.event
                note(
                    interp,
                    Pitfall.LOSS_REBUILT,
                    leaves.flag_places.get(id(one.copy), made.place),
                    tensor=one.copy.name,
                    operator=made.operator,
                    built=made,
                    needed=one.needed,
                    assumptions=one.graph_break.assumptions,
                )


def _copies(walk: Pass) -> list[Tensor]:
    """The leaves of a backward where these are all copies of losses, else none.

    What is given a gradient to begin with is no loss, but a function of the copy. Where the loss
    itself has been walked, it is another matter what it is a copy for.
    """
    leaves = walk.leaves() if not walk.call.gradient_given else []
    copies = [leaf for leaf in leaves if _copies_result(leaf)]
    if len(copies) < len(leaves):
        return []
    inner = (node for node in walk.order if node.leaf is None)
    plain = all(node.operator.rpartition(".")[2] in ARITHMETIC for node in inner)
    walked = any(one.source.walked_at for leaf in copies for one in leaf.graph_breaks)
    return copies if plain and not walked else []


def _copies_result(leaf: Tensor) -> bool:
    """Whether a leaf is a copy of what was computed: that of another leaf is one to be trained."""
    computed = any(one.source.leaf is None or one.switch is not None for one in leaf.graph_breaks)
    return computed and not leaf.parameter
