"""`.grad` of a tensor that is not a leaf, which backward never fills."""

from __future__ import annotations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import CERTAINLY
from autograd_lint.libraries.torch.events import GradientRead
from autograd_lint.libraries.torch.tensors.absent_gradients import stays_none
from autograd_lint.libraries.torch.tensors.moved_leaves import CONVERSIONS, may_be_converted_leaf
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

MAY_DO_NOTHING = frozenset({Assumption(Kind.NEW_TENSOR, weight=2)})
# A factory makes float32 on the CPU unless it is told otherwise.
# Source: https://docs.pytorch.org/docs/stable/generated/torch.set_default_dtype.html
RARELY_NOTHING = frozenset({Assumption(Kind.OTHER_BEFORE, weight=0)})


class NonLeafGradients(Checker):
    """Looks at each `.grad` that is read."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, GradientRead, cls.gradient_read)

    def gradient_read(self, interp: Interpreter, event: GradientRead) -> None:
        """Whether it stays None although backward has reached it."""
        tensor = event.tensor
        graph = tensor.node
        if graph is None or not stays_none(tensor):
            return
        doubt = CERTAINLY if may_be_converted_leaf(tensor) else _doubt(interp, graph)
        note(
            interp,
            Pitfall.NON_LEAF_GRAD,
            interp.place(event.node),
            tensor=tensor.name,
            operator=graph.operator,
            built=graph.created,
            assumptions=(tensor.requires or CERTAINLY) | doubt,
        )


def _doubt(interp: Interpreter, graph: Node) -> frozenset[Assumption]:
    """A leaf may have been what was asked for already, and is then itself the result."""
    if graph.operator not in CONVERSIONS:
        return frozenset()
    leaf = graph.edges[0].leaf if graph.edges else None
    leaves = interp.state(LeafRecord)
    plain = any(leaf is made for made in leaves.made)
    # Who makes a tensor as it comes, and converts it, means another precision or device.
    return RARELY_NOTHING if plain and leaf not in leaves.typed else MAY_DO_NOTHING
