"""Softmax over one element, which is one whatever it is given: what is behind it is not trained.

scores, index = gate(x).topk(1, dim=1)
weights = softmax(scores, dim=1)          # all ones
loss = cross_entropy(head(x), labels)     # zero, where the head has one output
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from autograd_lint.checkers import backward_paths
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import wanted_leaves
from autograd_lint.checkers.lost_leaves import note_cut
from autograd_lint.engine.graph import Node
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.pitfalls import ONE_ELEMENT
from autograd_lint.libraries.torch.events import OperatorRun
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.instances import external_class
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance

SOFTMAX = {"softmax", "log_softmax"}
LAYERS = {"Softmax", "LogSoftmax"}
LOSSES = {"cross_entropy", "CrossEntropyLoss"}
CHOOSING = SOFTMAX | LAYERS | LOSSES


def _may_choose(layer: str) -> bool:
    """Whether a layer of that class is such a function, or one of the program's own may be."""
    return not layer or layer in LAYERS


@dataclass(slots=True, eq=False, repr=False)
class SingleChoices(Checker):
    """The nodes of functions of one element, and the shapes that layers were given, by node."""

    constant: list[Node] = field(default_factory=list)
    shapes: dict[int, tuple[Node, tuple[int | None, ...]]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.operator_run, only=CHOOSING.__contains__)
        to.add(cls, ModuleCalled, cls.module_called, only=_may_choose)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: over how many elements?"""
        operation, node = event.operation, event.results[0].node if event.results else None
        given = next(iter(operation.at("0")), None)
        if node is None or given is None or not given.shape:
            return
        if operation.operator in LAYERS:
            self.shapes[id(node)] = node, tuple(given.shape)
        elif _is_over_one(operation, given.shape):
            self.constant.append(node)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A layer has run: over which dimension?"""
        known = self.shapes.get(id(event.node))
        if known is None or not isinstance(event.module, Instance):
            return
        node, shape = known
        named = {path.rpartition(".")[2] for path in external_class(event.module)}
        if named & LAYERS and _is_one(shape, event.module.options.get("dim")):
            self.constant.append(node)

    def end(self, interp: Interpreter) -> None:
        """The run is over: what was to be trained lies behind such functions alone?"""
        if not self.constant or interp.opaque_backward or interp.record.gave_up:
            return
        closed = [(node, edge) for node in self.constant for edge in node.edges]
        left = wanted_leaves(interp).keys() - backward_paths.received(interp, closed)
        walked = {id(node) for walk in interp.engine.backward.passes for node in walk.order}
        for node in self.constant:
            lost = backward_paths.behind(node, left) if id(node) in walked else []
            if lost:
                note_cut(
                    interp,
                    node.place,
                    lost[0],
                    operator=node.operator,
                    detail=ONE_ELEMENT,
                    assumptions=node.requires | backward_paths.least(lost),
                )


def _is_over_one(operation: Operation, shape: Iterable[int | None]) -> bool:
    """Whether a softmax is taken over one element, by itself or by a loss."""
    sizes = tuple(shape)
    if operation.operator in LOSSES:
        return len(sizes) > 1 and sizes[1] == 1
    return operation.operator in SOFTMAX and _is_one(sizes, operation.arguments.get("1"))


def _is_one(shape: tuple[int | None, ...], dimension: object) -> bool:
    if not isinstance(dimension, int) or not -len(shape) <= dimension < len(shape):
        return False
    return shape[dimension] == 1
