"""Losses that are computed and take no part in any backward, though only they reach a parameter.

for head, label in zip(heads, labels):
    loss = cross_entropy(head(features), label)   # the last one is all that is left
loss.backward()
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers import backward_paths
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import has_trained_alone
from autograd_lint.checkers.leaf_record import stepped
from autograd_lint.checkers.losses import makes_loss
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import UNUSED_LOSS, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of, reached
from autograd_lint.libraries.torch.events import OperatorRun
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import GivenToUnknownCode
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class UnusedLosses(Checker):
    """The losses of torch's own functions that have a graph, and what unknown code was given: it
    may differentiate that."""

    computed: list[Node] = field(default_factory=list)
    given: list[Node] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.ran, only=makes_loss)
        to.add(cls, GivenToUnknownCode, cls.given_to_unknown_code)

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """A loss was computed."""
        self.computed.extend(one.node for one in event.results if one.node is not None)

    def given_to_unknown_code(self, interp: Interpreter, event: GivenToUnknownCode) -> None:
        """Code that is not seen is called with something."""
        for value in (*event.call.args, *event.call.keywords.values()):
            self.given.extend(one.node for one in tensors_in(value) if one.node is not None)

    def end(self, interp: Interpreter) -> None:
        """The run is over: is a parameter that was to be trained only behind losses that no
        backward has reached?"""
        unsure = interp.opaque_backward or interp.record.gave_up
        passes = interp.engine.backward.passes
        unused = [node for node in self.computed if not node.walked_at and not node.opaque]
        if not has_trained_alone(interp) or unsure or not passes or not unused:
            return
        received = interp.engine.backward.received
        wanted = {id(leaf): leaf for leaf in stepped(interp) if id(leaf) not in received}
        walked = (node for walk in passes for node in walk.order)
        ends = {id(one.source) for node in walked for one in node.graph_breaks}
        given = reached(self.given)
        for node in (one for one in unused if id(one) not in given):
            lost = [leaf for leaf in leaves_of([node]) if id(leaf) in wanted and _waits(leaf)]
            if lost and id(node) not in ends:
                call = passes[-1].call
                note(
                    interp,
                    Pitfall.NO_GRADIENTS,
                    node.place,
                    tensor=lost[0].name,
                    detail=UNUSED_LOSS,
                    needed=Needed(call.place, call.name),
                    assumptions=backward_paths.least(lost),
                )


def _waits(leaf: Tensor) -> bool:
    """Whether a parameter still requires grad."""
    return leaf.parameter and leaf.requires is not None
