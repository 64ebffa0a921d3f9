"""Functions that give no number for data that do come, though no line makes them.

nn.CTCLoss()(log_probs, texts, frames, letters)     # infinite where a text has more letters
total / degree[:, None]                             # a node without neighbours: zero by zero

Whether the data are such is not known, unless the program makes them: else these are possible at
most.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.images import image
from autograd_lint.checkers.intervals import ZERO
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.number_record import NumberRecord
from autograd_lint.checkers.repairs import Repairs
from autograd_lint.checkers.training_record import mark_of
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.pitfalls import NEVER_COUNTED, TOO_SHORT, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import NumbersMade, OperatorRun, PassBegun
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.instances import outside_name
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance

COUNTING = frozenset({"scatter_add", "scatter_add_", "index_add", "index_add_", "bincount"})
DIVIDING = frozenset({"div", "mul"})
WATCHED = COUNTING | DIVIDING | {"ctc_loss"}
ZERO_INFINITY = "6"  # the position of that argument


@immutable
class Degenerated:
    """A node that may give no number, in which way, and whether data have to be such for it."""

    node: Node
    detail: str
    because: frozenset[Assumption]


@dataclass(slots=True, eq=False, repr=False)
class Degenerate(Checker):
    """`hazards` are the nodes of such functions, `counts` the tensors that count something, with
    how often they had been written then, `zeros` those that were made of zeros; by identity."""

    hazards: dict[int, Degenerated] = field(default_factory=dict)
    counts: dict[int, tuple[Tensor, tuple[int, int]]] = field(default_factory=dict)
    zeros: dict[int, Tensor] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, NumbersMade, cls.numbers_made)
        to.add(cls, ModuleCalled, cls.module_called, only="CTCLoss".__eq__)
        to.add(cls, OperatorRun, cls.ran, only=WATCHED.__contains__)
        to.add(cls, PassBegun, cls.passed, waits=True)

    def numbers_made(self, interp: Interpreter, event: NumbersMade) -> None:
        """A tensor was made of numbers: something may be counted in it."""
        if event.numbers == {0}:
            self.zeros[id(event.tensor)] = event.tensor

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A layer of the loss was called: does it leave infinite losses as they are?"""
        module, node, call = event.module, event.node, event.call
        if not isinstance(module, Instance) or outside_name(module) != "CTCLoss" or node is None:
            return
        if module.options.get("zero_infinity", False) is False:
            self._spelled(interp, node, call.get(2, "input_lengths"), call.get(3, "target_lengths"))

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: is it such a function, or does it count?"""
        operation, result = event.operation, event.results[0] if event.results else None
        if result is None:
            return
        numbers = interp.state(NumberRecord)
        if operation.operator in COUNTING:
            if self._counts(operation, numbers):
                self.counts[id(result)] = (result, mark_of(result))
        elif result.node is not None and operation.operator == "ctc_loss":
            if operation.arguments.get(ZERO_INFINITY, False) is False:
                self._spelled(interp, result.node, *map(operation.arguments.get, "23"))
        elif result.node is not None and self._divides_by_count(operation, numbers):
            self._add(result.node, NEVER_COUNTED, known=False)

    def _spelled(self, interp: Interpreter, node: Node, frames: object, letters: object) -> None:
        """A CTC loss was computed: is any text too long for its recording? Whoever makes the texts
        of some length knows that they are not."""
        record = interp.state(NumberRecord)
        short, long = (
            record.numbers_of(one) if isinstance(one, Tensor) else () for one in (frames, letters)
        )
        if not long or (short and max(long) > min(short)):
            self._add(node, TOO_SHORT, known=bool(long))

    def _add(self, node: Node, detail: str, *, known: bool) -> None:
        because = Assumption(Kind.DATA_DEGENERATE, node.operator, weight=2)
        self.hazards[id(node)] = Degenerated(node, detail, frozenset(() if known else {because}))

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does it go through such a function?"""
        walk = event.walk
        if not self.hazards or interp.state(Repairs).tests:
            return  # who asks what is a number sees to the rest
        for node in walk.order:
            known = self.hazards.get(id(node))
            if known is not None and known.node is node:
                note(
                    interp,
                    Pitfall.SINGULAR_AT_ZERO,
                    node.place,
                    operator=node.operator,
                    detail=known.detail,
                    needed=Needed(walk.call.place, walk.call.name),
                    assumptions=node.requires | walk.call.assumptions | known.because,
                )

    def _counts(self, operation: Operation, numbers: NumberRecord) -> bool:
        """Whether an operator adds ones up, place by place."""
        if operation.operator == "bincount":
            return True
        into, added = operation.arguments.get("0"), operation.arguments.get("3")
        ones = numbers.numbers_of(added) if isinstance(added, Tensor) else frozenset()
        return isinstance(into, Tensor) and self.zeros.get(id(into)) is into and ones == {1}

    def _divides_by_count(self, operation: Operation, numbers: NumberRecord) -> bool:
        """Whether an operator divides by what was counted, or multiplies by one over it."""
        second = operation.arguments.get("1")
        if not isinstance(second, Tensor):
            return False
        root, steps = numbers.chain(second)
        known = self.counts.get(id(root))
        if known is None or known[0] is not root or known[1] != mark_of(root):
            return False
        reached = image(steps, (ZERO,))
        return ZERO in reached if operation.operator == "div" else not reached
