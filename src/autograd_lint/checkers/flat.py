"""Operators whose derivative is zero everywhere: what lies behind them alone is not trained."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers import backward_paths
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import wanted_leaves
from autograd_lint.checkers.noting import note
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.vm.grad_modes import in_custom_function
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

SAMPLES = frozenset({"normal", "bernoulli", "poisson"})  # only `rsample` has a derivative
CONSTANT = SAMPLES.union(
    {"round", "floor", "ceil", "sign", "sgn", "trunc", "round_", "floor_", "ceil_"}
)


@dataclass(slots=True, eq=False, repr=False)
class FlatOperators(Checker):
    """The nodes of such operators that backwards have walked."""

    nodes: list[Node] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: through which of them?"""
        if not in_custom_function(interp):
            self.nodes.extend(node for node in event.walk.order if node.operator in CONSTANT)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which leaves were to be trained, and got nothing but zeros?"""
        if not self.nodes:
            return
        closed = [(node, target) for node in self.nodes for target in node.edges]
        left = wanted_leaves(interp).keys() - backward_paths.received(interp, closed)
        for node in self.nodes:
            lost = backward_paths.behind(node, left)
            if lost:
                backward_paths.note_lost(interp, lost, node.place, node.operator, node.requires)


def note_term(interp: Interpreter, node: Node, walk: Pass) -> None:
    """Note a term of a loss that only leads through such an operator."""
    note(
        interp,
        Pitfall.CONSTANT_TERM,
        node.place,
        operator=node.operator,
        needed=Needed(walk.call.place, walk.call.name),
        assumptions=node.requires,
    )


def barrier(term: Node) -> Node | None:
    """The operator of zero derivative that every way from a term to a leaf leads through."""
    stack, seen, found = [term], set(), None
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.operator in CONSTANT:
            found = node
        elif node.leaf is not None or node.opaque:
            return None
        else:
            stack.extend(node.edges)
    return found


def loses_nothing(graph_break: GraphBreak) -> bool:
    """Whether all that a graph loses at its end leads through a sample: `normal(mean, std).data`
    has no gradient with its graph either."""
    drawn = barrier(graph_break.source)
    return drawn is not None and drawn.operator in SAMPLES


def makes_up(term: Node, constant: Node) -> bool:
    """Whether another term computes with the same constant: it is the rest of a soft rounding."""
    if barrier(term) is not None:
        return False
    stack, seen = [term], set()
    while stack:
        node = stack.pop()
        if node is constant:
            return True
        if id(node) not in seen:
            seen.add(id(node))
            stack.extend(node.edges)
    return False
