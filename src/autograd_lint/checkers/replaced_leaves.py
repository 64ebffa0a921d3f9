"""A leaf that an optimizer steps, replaced by a new leaf: the optimizer keeps the old one."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import Stepping, TrainingRecord
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.events import AttributeSet, TensorRebound
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance


@immutable
class Replaced:
    """A leaf took the place of another one that an optimizer had stepped so often."""

    old: Tensor
    new: Tensor
    stepping: Stepping
    steps: int
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class ReplacedLeaves(Checker):
    """The leaves that took the place of others."""

    found: list[Replaced] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, TensorRebound, cls.rebound)
        to.add(cls, AttributeSet, cls.attribute_set)

    def rebound(self, interp: Interpreter, event: TensorRebound) -> None:
        """A name that meant one tensor now means another."""
        self._replace(interp, event.before, event.value, event.target)

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """An attribute is about to hold another tensor."""
        if isinstance(event.owner, Instance):
            before = tensor_of(event.owner.attributes.get(event.name))
            after = tensor_of(event.value)
            if before is not None and after is not None and before is not after:
                self._replace(interp, before, after, event.node)

    def _replace(self, interp: Interpreter, old: Tensor, new: Tensor, node: ast.AST) -> None:
        if new.node is not None or not new.graph_breaks or old.accumulator is None:
            return
        if not any(leaf is old for leaf in leaves_of([one.source for one in new.graph_breaks])):
            return
        for stepping in interp.state(TrainingRecord).optimizers.values():
            if stepping.steps and any(one is old for one in optimized(stepping.optimizer)):
                place = Replaced(old, new, stepping, stepping.steps, node)
                self.found.append(place)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which of them got gradients that the optimizer's steps pass by?"""
        reached = interp.engine.backward.received
        moved = {id(one) for one in interp.state(TrainingRecord).optimized()}
        for one in self.found:
            in_vain = one.stepping.steps > one.steps and id(one.new) not in moved
            if in_vain and id(one.new) in reached and one.new.requires is not None:
                note(
                    interp,
                    Pitfall.LEAF_REPLACED,
                    interp.place(one.node),
                    tensor=one.old.name,
                    built=one.stepping.made,
                    assumptions=one.new.requires,
                )
