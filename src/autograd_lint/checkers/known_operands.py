"""The statements with known operands: what a run reached with unknown ones is not tried."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.coverage import Row
from autograd_lint.libraries.torch.events import (
    ArrayTaken,
    BackwardCalled,
    LeafUpdated,
    OperatorRun,
    StepBegun,
    ZeroGradCalled,
)
from autograd_lint.places import Place
from autograd_lint.vm.events import Augmented, ElementStored, FunctionLeft
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import NOT_TENSORS, Unknown, Value


@dataclass(slots=True, eq=False, repr=False)
class KnownOperands(Listener):
    """The `rows` on which something known was written, walked, stepped, or handed to a function or
    to NumPy."""

    rows: set[Row] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.operator_run)
        to.add(cls, ElementStored, cls.element_stored)
        to.add(cls, Augmented, cls.augmented)
        to.add(cls, BackwardCalled, cls.at_node)
        to.add(cls, ArrayTaken, cls.at_node)
        to.add(cls, FunctionLeft, cls.function_left)
        to.add(cls, StepBegun, cls.at_place)
        to.add(cls, ZeroGradCalled, cls.at_place)
        to.add(cls, LeafUpdated, cls.at_place)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        if event.operation.form.modifies:
            self._add(interp.place(event.node))

    def element_stored(self, interp: Interpreter, event: ElementStored) -> None:
        if _is_known(event.owner):
            self._add(interp.place(event.target))

    def augmented(self, interp: Interpreter, event: Augmented) -> None:
        if _is_known(event.result):
            self._add(interp.place(event.target))

    def at_node(self, interp: Interpreter, event: BackwardCalled | ArrayTaken) -> None:
        self._add(interp.place(event.node))

    def function_left(self, interp: Interpreter, event: FunctionLeft) -> None:
        self._add(interp.place(event.call.node))

    def at_place(
        self, interp: Interpreter, event: StepBegun | ZeroGradCalled | LeafUpdated
    ) -> None:
        self._add(event.place)

    def _add(self, place: Place) -> None:
        self.rows.add((place.filename, place.row))


def _is_known(value: Value) -> bool:
    return not isinstance(value, Unknown) or value.hint in NOT_TENSORS
