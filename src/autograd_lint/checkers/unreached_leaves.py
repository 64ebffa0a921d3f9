"""Leaves that a backward cannot reach: frozen since the forward, or asked for and not in the graph.

loss.backward(inputs=[unused])                 # `unused` has no part in the loss
"""

from __future__ import annotations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.noting import note
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.walk import walk_order
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.vm.grad_modes import in_custom_function
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


class UnreachedLeaves(Checker):
    """Looks at the leaves of each backward."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins."""
        walk = event.walk
        if not walk.starts or not walk.call.fills_gradients:
            return
        if not in_custom_function(interp):
            _judge_frozen(interp, walk)
            _judge_inputs(interp, walk)


def _judge_frozen(interp: Interpreter, walk: Pass) -> None:
    """A leaf that required grad in the forward, but no longer does, gets nothing any more."""
    frozen = [leaf for leaf in walk.leaves() if leaf.requires_grad is None]
    passes = interp.engine.backward.passes if frozen else []
    earlier = [other.leaves() for other in passes if other is not walk and other.call.accumulate]
    for leaf in frozen:
        if any(leaf is one for leaves in earlier for one in leaves):
            continue
        cut, flags = leaf.detached, interp.state(LeafRecord).flag_places
        note(
            interp,
            Pitfall.GRADIENT_CUT,
            cut.place if cut else flags.get(id(leaf)),
            leaf=leaf,
            operator=cut.operator if cut else "requires_grad_",
        )


def _judge_inputs(interp: Interpreter, walk: Pass) -> None:
    """`backward(inputs=...)` does nothing for a tensor that is not in the graph."""
    if walk.call.inputs is None:
        return
    reached = walk_order(list(walk.starts), None)
    if any(node.opaque for node in reached):
        return
    known = {id(node) for node in reached}
    for tensor in walk.call.inputs:
        target = tensor.node or tensor.accumulator
        if tensor.requires_grad is not None and (target is None or id(target) not in known):
            note(
                interp,
                Pitfall.INPUT_UNUSED,
                walk.call.place,
                tensor=tensor.name,
                operator=walk.call.name,
                assumptions=tensor.requires_grad,
            )
