"""Losses of each prediction with each target: `(n, 1)` and `(n,)` are broadcast to `(n, n)`.

prediction = model(x)                           # (n, 1)
loss = ((prediction - target) ** 2).mean()      # target is (n,)

Source: https://docs.pytorch.org/docs/stable/notes/broadcasting.html
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import OperatorRun, PassBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

COMPARING = frozenset(
    {"sub", "rsub", "mul", "rmul", "div", "truediv", "rtruediv"}
    | {"mse_loss", "MSELoss", "l1_loss", "L1Loss", "smooth_l1_loss", "SmoothL1Loss"}
    | {"huber_loss", "HuberLoss"}
)
# What a program gives a shape by is meant to be broadcast.
SHAPING = frozenset({"unsqueeze", "view", "reshape", "getitem", "expand", "select", "index"})


def _concerns(operator: str) -> bool:
    return operator.strip("_") in SHAPING | COMPARING


@dataclass(slots=True, eq=False, repr=False)
class CrossedShapes(Checker):
    """The results of such operators, and tensors that were given a shape on purpose."""

    crossed: list[Tensor] = field(default_factory=list)
    shaped: list[Tensor] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.operator_run, only=_concerns)
        to.add(cls, PassBegun, cls.passed)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: was a column computed with a row?"""
        name = event.dotted.rpartition(".")[2].strip("_")
        if name in SHAPING:
            self.shaped += [one for one in event.results if _is_column(one)]
        elif name in COMPARING:
            given = event.operation.tensors()[:2]
            column = next(filter(_is_column, given), None)
            if column is None or self._is_asked_for(column):
                return
            if any(_is_row(one, column) for one in given):
                self.crossed += event.results[:1]

    def _is_asked_for(self, column: Tensor) -> bool:
        """Whether the program has given a tensor its shape."""
        operator = column.node.operator.strip("_") if column.node is not None else ""
        return operator in SHAPING or any(one is column for one in self.shaped)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: which of them is it about?"""
        if not self.crossed or event.walk.call.place is None:
            return
        known = {id(node) for node in event.walk.order}
        for tensor in self.crossed:
            node = tensor.node
            if node is not None and id(node) in known:
                _note(interp, node, Needed(event.walk.call.place, event.walk.call.name))


def _note(interp: Interpreter, node: Node, needed: Needed) -> None:
    note(
        interp,
        Pitfall.CROSSED_SHAPES,
        node.place,
        operator=node.operator,
        needed=needed,
        assumptions=node.requires,
    )


def _is_column(tensor: Tensor) -> bool:
    """Whether it has two dimensions, the second of one element."""
    return tensor.shape is not None and len(tensor.shape) == 2 and tensor.shape[1] == 1


def _is_row(tensor: Tensor, column: Tensor) -> bool:
    """Whether it has one dimension, with as many elements as a column, and several."""
    shape, other = tensor.shape, column.shape
    if shape is None or other is None or len(shape) != 1 or shape[0] is None:
        return False
    return shape[0] == other[0] and shape[0] > 1
