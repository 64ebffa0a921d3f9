"""`.grad` of a tensor that is not a leaf, or does not require grad: backward never fills it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import NEVER_ASKED, Pitfall
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.events import AbsentGradientUsed, GradientRead
from autograd_lint.libraries.torch.tensors.absent_gradients import stays_none
from autograd_lint.libraries.torch.tensors.moved_leaves import CONVERSIONS, may_be_converted_leaf
from autograd_lint.places import Place
from autograd_lint.project.query import query
from autograd_lint.vm.events import ExpressionStatementRun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Unknown

MAY_DO_NOTHING = frozenset({Assumption(Kind.NEW_TENSOR, weight=2)})
# A factory makes float32 on the CPU unless it is told otherwise.
# Source: https://docs.pytorch.org/docs/stable/generated/torch.set_default_dtype.html
RARELY_NOTHING = frozenset({Assumption(Kind.OTHER_BEFORE, weight=0)})


@dataclass(slots=True, eq=False, repr=False)
class NonLeafGradients(Checker):
    """Looks at each `.grad` that is read; `prepared` is what unknown code was called for, which may
    have made it require grad."""

    prepared: set[Tensor] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, GradientRead, cls.gradient_read)
        to.add(cls, AbsentGradientUsed, cls.absent_used)
        to.add(cls, ExpressionStatementRun, cls.stands_alone)

    def stands_alone(self, interp: Interpreter, event: ExpressionStatementRun) -> None:
        """Unknown code is called for what it does to its arguments."""
        if isinstance(event.value, Unknown) and isinstance(event.node, ast.Call):
            names = (one.id for one in event.node.args if isinstance(one, ast.Name))
            given = map(interp.frame.scope.names.get, names)
            self.prepared.update(one for one in given if isinstance(one, Tensor))

    def absent_used(self, interp: Interpreter, event: AbsentGradientUsed) -> None:
        """The program computes with the gradient of what does not require grad."""
        tensor, place = event.tensor, interp.place(event.node)
        if tensor not in self.prepared and place.row not in _tried(interp.source.tree):
            self._tell_unasked(interp, tensor, place)

    def _tell_unasked(self, interp: Interpreter, tensor: Tensor, place: Place) -> None:
        """Nobody has asked a tensor to require grad, so nothing fills its gradient."""
        built = tensor.made or (tensor.anew[1] if tensor.anew else None)
        note(
            interp,
            Pitfall.NON_LEAF_GRAD,
            place,
            tensor=tensor.name,
            operator=built.operator if built else "",
            built=built,
            detail=NEVER_ASKED,
        )

    def gradient_read(self, interp: Interpreter, event: GradientRead) -> None:
        """Whether it stays None although backward has reached it."""
        tensor = event.tensor
        graph = tensor.node
        if graph is None:
            if _is_beside_leaf(interp, tensor) and event.node not in _compared(interp.source.tree):
                self._tell_unasked(interp, tensor, interp.place(event.node))
            return
        if not stays_none(tensor):
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


def _is_beside_leaf(interp: Interpreter, tensor: Tensor) -> bool:
    """Whether backward has filled the gradient of another tensor on the same memory: a view, or
    what `detach()` gave, was asked to require grad, and this one was not."""
    if tensor.requires_grad is not None or tensor.grad is not None or tensor.parameter:
        return False
    memory = tensor.storage.first
    leaves = (one.leaf for one in interp.state(TrainingRecord).gradients.values())
    return any(one.grad is not None and one.storage.first is memory for one in leaves)


@query
def _compared(tree: ast.AST) -> frozenset[ast.AST]:
    """What is compared with something: with None, to see whether it is there."""
    compared = [one for one in ast.walk(tree) if isinstance(one, ast.Compare)]
    return frozenset(part for one in compared for part in (one.left, *one.comparators))


@query
def _tried(tree: ast.AST) -> frozenset[int]:
    """The rows at which an error may be caught."""
    tries = [one for one in ast.walk(tree) if isinstance(one, ast.Try)]
    return frozenset(row for one in tries for row in range(one.lineno, (one.end_lineno or 0) + 1))


def _doubt(interp: Interpreter, graph: Node) -> frozenset[Assumption]:
    """A leaf may have been what was asked for already, and is then itself the result."""
    if graph.operator not in CONVERSIONS:
        return frozenset()
    leaf = graph.edges[0].leaf if graph.edges else None
    leaves = interp.state(LeafRecord)
    plain = any(leaf is made for made in leaves.made)
    # Who makes a tensor as it comes, and converts it, means another precision or device.
    return RARELY_NOTHING if plain and leaf not in leaves.typed else MAY_DO_NOTHING
