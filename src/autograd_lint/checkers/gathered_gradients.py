"""Gradients that are gathered batch by batch, and never cleared: each holds those before it.

for x, y in loader:
    loss(model(x), y).backward()             # adds to what the batches before have left
    for n, p in model.named_parameters():
        importance[n] += p.grad ** 2         # a sum; or a list: `kept.append(p.grad.clone())`
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.gradient_values import GradientValues
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.events import Modified
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.pitfalls import GATHERED, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import OperatorRun
from autograd_lint.places import Place
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import ElementStored, ValueAppended
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Value

ADDING = {"add_", "addcmul_"}


@immutable
class Gathered:
    """What several backwards of one place had left in a gradient was added to a sum or kept."""

    leaf: Tensor
    backward: Place
    sum: Modified


@dataclass(slots=True, eq=False, repr=False)
class GatheredGradients(Checker):
    """Of how many backwards each gradient was, when it was gathered last, and those that were of
    more than one."""

    shares: dict[tuple[Place, int], int] = field(default_factory=dict)
    found: list[Gathered] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.ran, only=ADDING.__contains__)
        to.add(cls, ValueAppended, cls.appended)
        to.add(cls, ElementStored, cls.stored)

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: does it add what came of a gradient to a sum?"""
        operation = event.operation
        if operation.place is not None:
            leaf = _leaf_added(interp.state(GradientValues), operation)
            if leaf is not None:
                self._added(interp, leaf, operation.place, operation.operator)

    def appended(self, interp: Interpreter, event: ValueAppended) -> None:
        """A container gets one more value: what came of a gradient?"""
        self._kept(interp, event.value, event.node)

    def stored(self, interp: Interpreter, event: ElementStored) -> None:
        """An element is set: to what came of a gradient?"""
        self._kept(interp, event.value, event.target)

    def _kept(self, interp: Interpreter, value: Value, node: ast.AST) -> None:
        """A value is kept, or the values of a list."""
        values = interp.state(GradientValues)
        for tensor in tensors_in(value, 2) if values.leaves else ():
            leaf = values.leaf_behind(tensor)
            if leaf is not None:
                self._added(interp, leaf, interp.place(node), "append")

    def _added(self, interp: Interpreter, leaf: Tensor, place: Place, operator: str) -> None:
        for gradient in interp.state(TrainingRecord).of([leaf]):
            backwards = {share.walk.call.place for share in gradient.fresh}
            before = self.shares.get((place, id(leaf)), 0)
            self.shares[place, id(leaf)] = len(gradient.fresh)
            backward = next(iter(backwards), None)
            if 0 < before < len(gradient.fresh) and len(backwards) == 1 and backward is not None:
                self.found.append(Gathered(leaf, backward, Modified(place, operator, None, 0)))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which of these gradients does no step use? To those who step, a sum over
        some batches may be what they want."""
        record = interp.state(TrainingRecord)
        stepped = {id(leaf) for leaf in record.optimized()}
        for one in self.found:
            used = any(gradient.used is not None for gradient in record.of([one.leaf]))
            if id(one.leaf) not in stepped and not used:
                note(
                    interp,
                    Pitfall.GRADIENTS_PILE_UP,
                    one.backward,
                    tensor=one.leaf.name,
                    operator="backward",
                    detail=GATHERED,
                    modified=one.sum,
                )


def _leaf_added(values: GradientValues, operation: Operation) -> Tensor | None:
    """The leaf whose gradient is behind what is added to a sum, which is no gradient itself."""
    target, *added = operation.tensors()
    leaves = [leaf for leaf in map(values.leaf_behind, added) if leaf is not None]
    if not leaves or any(leaf is not leaves[0] for leaf in leaves):
        return None
    own = (leaves[0], leaves[0].grad)
    memories = {one.storage.memory for one in own if one is not None}
    return None if target.storage.memory in memories else leaves[0]
