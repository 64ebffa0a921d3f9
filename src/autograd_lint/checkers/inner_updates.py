"""Steps of an inner loop without a graph, through which an outer loss is to be differentiated.

for _ in range(steps):
    grads = torch.autograd.grad(loss(fast), fast)        # constants without `create_graph=True`
    fast = [w - rate * g for w, g in zip(fast, grads)]
outer(fast).backward()                                   # the gradient is one of first order only

Who writes `create_graph=False`, or speaks of first order or of a switch, means it. Finn, Abbeel,
Levine: Model-Agnostic Meta-Learning, section 5.2 (the first-order approximation).
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import stepped
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import ADDITIVE
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import INNER_STEP, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leads_to
from autograd_lint.libraries.torch.events import BackwardCalled, PassBegun
from autograd_lint.places import Place
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.events import AttributeSet
from autograd_lint.vm.grad_modes import in_custom_function
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

FIRST_ORDER = re.compile(
    r"first.?order|second_order|fo.?maml|reptile|anil\b"
    r"|(?:\bno|without|not|ignor\w*|avoid\w*|drop\w*|omit\w*)\b[^.\n]{0,30}second.order",
    re.IGNORECASE,
)
THROUGH_STEPS = frozenset({Assumption(Kind.MEANT_TO_CROSS, weight=0)})


@dataclass(slots=True, eq=False, repr=False)
class InnerUpdates(Checker):
    """The gradients without a graph that backwards have reached.

    `meant` are the calls that gave them whose program says that it wants none, `cuts` all others
    with the backward that did, `handed` the leaves whose gradient the program sets itself.
    """

    meant: set[Place] = field(default_factory=set)
    cuts: dict[int, tuple[GraphBreak, Pass]] = field(default_factory=dict)
    handed: set[int] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, BackwardCalled, cls.called)
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, AttributeSet, cls.attribute_set)

    def called(self, interp: Interpreter, event: BackwardCalled) -> None:
        """A gradient is asked for: does the program say that it is to be of first order?"""
        keywords = event.node.keywords if isinstance(event.node, ast.Call) else []
        chosen = any(one.arg in ("create_graph", None) for one in keywords)
        if chosen or interp.query(interp.source, _speaks_of_order):
            self.meant.add(interp.place(event.node))

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        if event.name == "grad" and isinstance(event.owner, Tensor):
            self.handed.add(id(event.owner))

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does it reach steps that were taken with constant gradients?"""
        walk = event.walk
        if in_custom_function(interp) or not walk.call.fills_gradients:
            return
        for node in walk.order:
            for cut in node.graph_breaks:
                if cut.event.operator == "grad":
                    self.cuts[id(cut)] = cut, walk
                    self._judge_step(interp, node, cut, walk)

    def _judge_step(self, interp: Interpreter, node: Node, cut: GraphBreak, walk: Pass) -> None:
        wanted = node.operator in ADDITIVE and cut.event.place not in self.meant
        if wanted and _is_step(interp, node, cut):
            _tell(interp, cut, walk, THROUGH_STEPS | cut.assumptions)

    def end(self, interp: Interpreter) -> None:
        """The run is over: what was to be trained, and is reached by way of such gradients only?"""
        passes = interp.engine.backward.passes
        if not self.cuts or any(node.opaque for walk in passes for node in walk.order):
            return
        received = interp.engine.backward.received
        idle = {id(leaf) for leaf in stepped(interp)} - received - self.handed
        for cut, walk in self.cuts.values():
            if leads_to([cut.source], idle):
                _tell(interp, cut, walk, cut.assumptions)


@query
def _speaks_of_order(source: Source) -> bool:
    """Whether a file says anywhere which order its gradients are of."""
    return FIRST_ORDER.search(source.text) is not None


def _is_step(interp: Interpreter, node: Node, cut: GraphBreak) -> bool:
    """Whether a sum is a step from parameters along their gradient."""
    asked = [
        tensor
        for walk in interp.engine.backward.passes
        if walk.call.place == cut.event.place
        for tensor in walk.call.inputs or ()
    ]
    trained = {id(tensor) for tensor in interp.state(TrainingRecord).optimized()}
    leaves = [one for one in asked if one.is_leaf and (one.parameter or id(one) in trained)]
    own = {id(one.accumulator) for one in leaves}
    return any(id(edge) in own for edge in node.edges)


def _tell(
    interp: Interpreter, cut: GraphBreak, walk: Pass, assumptions: frozenset[Assumption]
) -> None:
    note(
        interp,
        Pitfall.PENALTY_WITHOUT_GRAPH,
        cut.event.place,
        tensor=cut.source.name,
        operator="grad",
        detail=INNER_STEP,
        needed=Needed(walk.call.place, walk.call.name),
        assumptions=assumptions | walk.call.assumptions,
    )
