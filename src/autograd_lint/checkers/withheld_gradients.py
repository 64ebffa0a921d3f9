"""Leaves whose only gradient a custom Function withholds: its `backward` returns None for them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers import backward_paths
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import wanted_leaves
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import FunctionBackwardRun
from autograd_lint.vm.contents import elements
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class WithheldGradients(Checker):
    """The edges along which a custom backward returns None, and where."""

    withheld: list[tuple[Node, Node, Created]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, FunctionBackwardRun, cls.backward_run)

    def backward_run(self, interp: Interpreter, event: FunctionBackwardRun) -> None:
        """`backward` returns None for inputs that require grad: is that the only way to a leaf?"""
        backward, returned = event.backward, elements(event.result, "tuple")
        returns = [part for part in ast.walk(backward.node) if isinstance(part, ast.Return)]
        if len(returned) != len(event.inputs) or len(returns) != 1:
            return
        made = Created(backward.source.place(returns[0]), f"{event.cls.name}.backward")
        for gradient, value in zip(returned, event.inputs, strict=True):
            target = value.node or value.accumulator if isinstance(value, Tensor) else None
            if gradient is None and target is not None and not target.opaque:
                self.withheld.append((event.node, target, made))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which leaves lie behind such edges alone?"""
        if not self.withheld:
            return
        wanted = wanted_leaves(interp)
        closed = [(node, target) for node, target, _ in self.withheld]
        received = backward_paths.received(interp, closed)
        for _, target, made in self.withheld:
            lost = backward_paths.behind(target, wanted.keys())
            if lost and not any(id(leaf) in received for leaf in lost):
                backward_paths.note_lost(interp, lost, made.place, made.operator)
