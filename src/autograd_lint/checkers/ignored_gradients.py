"""Custom Functions whose `backward` does not use the gradient that it is given.

def backward(ctx, grad_out, grad_log_det):        # of `return out, log_det`
    return grad_out * ctx.saved_tensors[0]        # the loss hangs on `log_det`, too
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.wrong_backwards import WrongBackwards
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.unread_gradients import unread_gradients
from autograd_lint.libraries.torch.events import (
    FunctionBackwardRun,
    FunctionForwardRun,
    OperatorRun,
)
from autograd_lint.vm.contents import elements, tensors_in
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Value

# Operators that hand the gradient of their result on as it is.
_PASSING_ON = frozenset({"add", "add_", "radd", "sum", "to", "cuda", "cpu", "clone", "reshape"})


@dataclass(slots=True, eq=False, repr=False)
class IgnoredGradients(Checker):
    """Looks at each `backward` that has run.

    `results` are those of Functions with several that were computed from what requires grad,
    `users` the nodes that have computed with them, by the identity of the result.
    """

    results: list[Tensor] = field(default_factory=list)
    users: dict[int, list[Node]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, FunctionForwardRun, cls.ran_forward)
        to.add(cls, OperatorRun, cls.ran, waits=True)
        to.add(cls, FunctionBackwardRun, cls.ran_backward)

    def ran_forward(self, interp: Interpreter, event: FunctionForwardRun) -> None:
        """`forward` has run: which of several results did it compute from what requires grad?"""
        several = [one for one in elements(event.result, "tuple") if isinstance(one, Tensor)]
        given = {id(one) for one in event.inputs if one.requires_grad is not None}
        formulas = interp.state(WrongBackwards).formulas
        for result in several if len(several) > 1 else ():
            if any(id(one) in given for one in formulas.sources(result)):
                self.results.append(result)
                self.users[id(result)] = []

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: with such a result?"""
        if not self.users:
            return
        nodes = [one.node for one in event.results if one.node is not None]
        for tensor in event.operation.tensors():
            self.users.get(id(tensor), []).extend(nodes)

    def ran_backward(self, interp: Interpreter, event: FunctionBackwardRun) -> None:
        """`backward` has run: does it read the gradients of the results that the loss hangs on?"""
        passes = interp.engine.backward.passes
        if not passes or next(tensors_in(event.result), None) is None:
            return
        unread = event.backward.query(unread_gradients)
        if unread is None:
            self._judge_none_read(interp, event, passes[-1])
        for name, output in zip(unread or (), event.outputs, strict=False):
            if name is not None and self._is_walked(output, event.node, passes[-1]):
                _note(interp, event, passes[-1], name)

    def _judge_none_read(self, interp: Interpreter, event: FunctionBackwardRun, walk: Pass) -> None:
        """None is read at all: where the Function gave the loss itself, that gradient is one, and
        so it is where its result is only added to other terms."""
        if id(event.node) not in _given_ones(walk.starts):
            _note(interp, event, walk, "")

    def _is_walked(self, output: Value, node: Node, walk: Pass) -> bool:
        """Whether a backward goes through what was computed with one result of `node`."""
        users = [one for one in self.users.get(id(output), []) if node in one.edges]
        return any(one is user for user in users for one in walk.order)


def _note(interp: Interpreter, event: FunctionBackwardRun, walk: Pass, name: str) -> None:
    note(
        interp,
        Pitfall.OUTPUT_GRADIENT_IGNORED,
        event.backward.source.place(event.backward.node),
        tensor=event.cls.name,
        detail=name,
        needed=Needed(walk.call.place, walk.call.name),
        assumptions=event.node.requires,
    )


def _given_ones(starts: Iterable[Node]) -> set[int]:
    """The nodes that a backward from ones gives nothing but ones, by identity."""
    found: set[int] = set()
    stack = list(starts)
    while stack:
        node = stack.pop()
        if id(node) not in found:
            found.add(id(node))
            stack.extend(node.edges if node.operator in _PASSING_ON else ())
    return found
