"""Penalties on gradients that are cut out of the loss, though `create_graph` built their graph.

(gradient,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
loss = critic(fake).mean() + gradient.pow(2).mean().detach()
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import sums_in
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import CUT_PENALTY, Pitfall
from autograd_lint.engine.walk import reached
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

GRADIENT = "grad"  # the node of what `autograd.grad` returns with `create_graph`


@dataclass(slots=True, eq=False, repr=False)
class CutPenalties(Checker):
    """The cuts in terms of losses, each with the backward that reached it first."""

    cuts: dict[GraphBreak, Pass] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: which terms of its loss are cut off?"""
        walk = event.walk
        if not walk.call.fills_gradients:
            return
        for node in sums_in(walk.starts):
            for graph_break in node.graph_breaks:
                self.cuts.setdefault(graph_break, walk)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which of the graphs that were cut off are graphs of gradients, which no
        backward has used?"""
        for graph_break, walk in self.cuts.items():
            gradients = _gradients_behind(graph_break.source)
            if not gradients or any(node.walked_at for node in gradients):
                continue
            event = graph_break.switch or graph_break.event
            note(
                interp,
                Pitfall.PENALTY_WITHOUT_GRAPH,
                event.place,
                operator=event.operator,
                detail=CUT_PENALTY,
                built=Created(gradients[0].place, "autograd.grad"),
                needed=Needed(walk.call.place, walk.call.name),
                assumptions=graph_break.assumptions | walk.call.assumptions,
            )


def _gradients_behind(source: Node) -> list[Node]:
    return [node for node in reached([source]).values() if node.operator == GRADIENT]
