"""Derivatives without a graph in the residual of a differential equation.

u = field(t)
du = torch.autograd.grad(u.sum(), t)[0]     # a constant without `create_graph=True`
residual = du + 2 * u                       # the gradient of the loss lacks what `du` depends on

The derivative is that of a network with respect to its coordinates, and is added to what the same
network gives. A step from the coordinates themselves (`x + rate * slope`) is no residual.
"""

from __future__ import annotations

from dataclasses import dataclass

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import ADDITIVE
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.libraries.torch.transforms.functional_derivatives import GRADIENTS
from autograd_lint.vm.grad_modes import in_custom_function
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class Residuals(Checker):
    """Looks at the sums that a backward goes through."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: is a derivative without a graph added to what it is derived from?"""
        walk = event.walk
        if in_custom_function(interp) or not walk.call.fills_gradients:
            return
        for node in walk.order:
            for one in node.graph_breaks if node.operator in ADDITIVE else ():
                if one.event.operator in GRADIENTS and _is_residual(interp, node, one):
                    _tell(interp, one, walk)


def _is_residual(interp: Interpreter, node: Node, cut: GraphBreak) -> bool:
    """Whether both sides of a sum come of the same parameters, the one by way of a derivative with
    respect to coordinates."""
    own = {id(leaf) for leaf in leaves_of([cut.source]) if leaf.parameter}
    both = own & {id(leaf) for leaf in leaves_of(node.edges) if leaf.parameter}
    inputs = _asked_at(interp, cut)
    return bool(both) and bool(inputs) and all(one.is_leaf and not one.parameter for one in inputs)


def _asked_at(interp: Interpreter, cut: GraphBreak) -> list[Tensor]:
    """With respect to what the derivative was asked for."""
    passes = interp.engine.backward.passes
    return [
        tensor
        for walk in passes
        if walk.call.place == cut.event.place
        for tensor in walk.call.inputs or ()
    ]


def _tell(interp: Interpreter, cut: GraphBreak, walk: Pass) -> None:
    note(
        interp,
        Pitfall.PENALTY_WITHOUT_GRAPH,
        cut.event.place,
        tensor=cut.source.name,
        operator="grad",
        built=cut.source.created if cut.source.leaf is None else None,
        needed=Needed(walk.call.place, walk.call.name),
        assumptions=cut.assumptions | walk.call.assumptions,
    )
