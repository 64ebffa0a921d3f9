"""Terms that a program adds to its loss, and that no backward gets to: another loss is returned.

loss = reconstruction + 0.1 * auxiliary     # only logged
return reconstruction                       # and this one is differentiated

A sum that begins with a loss behind its backward adds up what is reported, and one that is
differentiated in another call of the same code is there for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import stepped
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import ADDITIVE, SCALING
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leads_to, reached
from autograd_lint.libraries.torch.events import OperatorRun, PassBegun
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import GivenToUnknownCode
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

NEAR = 4  # scalings between a term and the root of a backward
MOST = 64  # terms of one sum that are looked at


@dataclass(frozen=True, slots=True, eq=False)
class Walked:
    """A loss that was differentiated, and where."""

    loss: Node
    needed: Needed


@dataclass(slots=True, eq=False, repr=False)
class LossesLeftOut(Checker):
    """The sums of scalars with a graph; the losses that were `walked`, by identity; what unknown
    code was given: it may differentiate that."""

    sums: list[Node] = field(default_factory=list)
    walked: dict[int, Walked] = field(default_factory=dict)
    given: list[Node] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.ran, only=ADDITIVE.__contains__)
        to.add(cls, PassBegun, cls.passed)
        to.add(cls, GivenToUnknownCode, cls.given_to_unknown_code)

    def ran(self, _: Interpreter, event: OperatorRun) -> None:
        """A sum was computed."""
        for result in event.results:
            node = result.node
            if node is None or len(node.edges) < 2 or not _is_scalar(result):
                continue
            if not any(one.walked_at for one in _terms(node)):
                self.sums.append(node)

    def passed(self, _: Interpreter, event: PassBegun) -> None:
        """A backward begins: at which losses, apart from their scale?"""
        call = event.walk.call
        if call.accumulate and call.place is not None:
            needed = Needed(call.place, call.name)
            for root in event.walk.starts:
                for node in _unscaled(root):
                    self.walked[id(node)] = Walked(node, needed)

    def given_to_unknown_code(self, _: Interpreter, event: GivenToUnknownCode) -> None:
        """Code that is not seen is called with something."""
        for value in (*event.call.args, *event.call.keywords.values()):
            self.given.extend(one.node for one in tensors_in(value) if one.node is not None)

    def end(self, interp: Interpreter) -> None:
        """The run is over: of which sum was one term differentiated, and another one never?"""
        if not self.sums or not self.walked or interp.opaque_backward or interp.record.gave_up:
            return
        trained, given = {id(leaf) for leaf in stepped(interp)}, reached(self.given)
        used = {total.place for total in self.sums if total.walked_at}
        for total in self.sums:
            if total.place in used or total.opaque or id(total) in given:
                continue
            terms = list(_terms(total))
            walked = next((self.walked[id(one)] for one in terms if id(one) in self.walked), None)
            left_out = [one for one in terms if not one.walked_at and one.leaf is None]
            if walked and leads_to(left_out, trained):
                note(interp, Pitfall.LOSS_LEFT_OUT, total.place, needed=walked.needed)


def _is_scalar(tensor: Tensor) -> bool:
    return tensor.shape == ()


def _terms(total: Node) -> Iterator[Node]:
    """What a sum adds, apart from its scale, down to what a backward has reached."""
    waiting = list(total.edges)
    for _ in range(MOST):
        if not waiting:
            return
        node = waiting.pop()
        adds = node.operator.rpartition(".")[2] in ADDITIVE | SCALING
        if adds and node.edges and not node.walked_at:
            waiting.extend(node.edges)
        else:
            yield node


def _unscaled(node: Node) -> Iterator[Node]:
    """A node, and what it is computed from by scaling alone."""
    for _ in range(NEAR):
        yield node
        if node.operator.rpartition(".")[2] not in SCALING or len(node.edges) != 1:
            return
        node = node.edges[0]
