"""Gradients that are asked for what is computed of data alone, which has no graph.

for real in loader:
    fake = generator(noise).detach()
    mixed = alpha * real + (1 - alpha) * fake
    (gradient,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autograd_lint.checkers.checker import Checker
from autograd_lint.engine.assumptions import Prior
from autograd_lint.engine.blame import input_fault
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import reached
from autograd_lint.libraries.torch.events import PassBegun, RequiresGradAsked
from autograd_lint.vm.events import AttributeSet
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False, repr=False)
class DataInputs(Checker):
    """Looks at the inputs of each `autograd.grad`; `asked` says that the program has asked data, or
    what is computed of it, to require grad: from then on it is not known what else does."""

    asked: bool = False

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, RequiresGradAsked, cls.flag_asked)
        to.add(cls, AttributeSet, cls.attribute_set)

    def flag_asked(self, interp: Interpreter, event: RequiresGradAsked) -> None:
        """A tensor is asked to require grad."""
        self.asked |= event.value and not event.tensor.parameter

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """The flag of something unknown is set."""
        self.asked |= event.name == "requires_grad" and event.value is True

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: do its inputs require grad only if what a loop goes over does?"""
        call = event.walk.call
        for tensor in call.inputs or () if not call.accumulate and call.place else ():
            if _is_of_data(tensor) and not self.asked:
                none = {why.as_of_data() for why in tensor.requires_grad or ()}
                because = call.assumptions | none
                interp.engine.note(input_fault(tensor, call, "does not require grad", because))


def _is_of_data(tensor: Tensor) -> bool:
    """Whether a tensor is computed, and of elements of what the code is given alone."""
    requires, node = tensor.requires_grad, tensor.node
    if not requires or node is None or node.opaque:
        return False
    given = all(why.given and why.weight > Prior.USUAL for why in requires)
    return given and _ends_in_elements(reached([node]).values())


def _ends_in_elements(nodes: Iterable[Node]) -> bool:
    """Whether a graph ends nowhere but in elements of what a loop goes over."""
    ends = [node for node in nodes if node.opaque or node.leaf is not None or not node.edges]
    return bool(ends) and all(node.opaque and node.element and not node.edges for node in ends)
