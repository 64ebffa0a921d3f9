"""Steps of an inner loop that each begin at the initial weights: only the last one counts.

fast = weights
for _ in range(steps):
    grads = torch.autograd.grad(loss(fast), fast, create_graph=True)
    fast = [w - rate * g for w, g in zip(weights, grads)]        # `fast` is what it has come to
"""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import ADDITIVE, SCALING, SHAPING
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import leaf_node
from autograd_lint.engine.pitfalls import RESTARTED, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import OperatorRun
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


class RestartedUpdates(Checker):
    """Looks at each step from a leaf along a gradient."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.operator_run, only=ADDITIVE.__contains__)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """Two tensors were added, or subtracted: is it a step from where the last one began?"""
        operation = event.operation
        node = event.results[0].node if event.results else None
        if node is None or not interp.engine.backward.passes:
            return
        start, along = operation.arguments.get("0"), operation.arguments.get("1")
        if not isinstance(start, Tensor) or not isinstance(along, Tensor) or not start.is_leaf:
            return
        places = list(_gradients(along))
        if len(places) == 1 and _goes_on(interp, node, start, places[0]):
            note(
                interp,
                Pitfall.LAST_ITERATION_ONLY,
                node.place,
                tensor=start.name,
                operator=node.operator,
                detail=RESTARTED,
                needed=Needed(places[0], "grad"),
                assumptions=node.requires,
            )


def _gradients(along: Tensor) -> Iterator[Place]:
    """Where the gradients that a step goes along were asked for."""
    node: Node | None = along.node
    if node is None:
        made = (one.event for one in along.graph_breaks)
        yield from (one.place for one in made if one.operator == "grad" and one.place)
        return
    while node.operator in SCALING | SHAPING and len(node.edges) == 1:
        node = node.edges[0]
    if node.operator == "grad" and node.place is not None:
        yield node.place


def _goes_on(interp: Interpreter, step: Node, start: Tensor, asked_at: Place) -> bool:
    """Whether a gradient is one of what the same step has made before, of the same leaf."""
    passes = interp.engine.backward.passes
    last = next((walk for walk in reversed(passes) if walk.call.place == asked_at), None)
    given = [tensor.node for tensor in (last.call.inputs or ())] if last is not None else []
    begun = leaf_node(start)
    return any(
        node is not None and node.place == step.place and any(edge is begun for edge in node.edges)
        for node in given
    )
