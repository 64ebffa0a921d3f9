"""In-place writes to tensors of a graph: of those that are observed, and without a derivative."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created, Modified, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.operate import UNCHECKED
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor, Write
from autograd_lint.libraries.torch.events import OperatorRun, PassBegun, TensorObserved
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

# In-place forms that give a gradient of zero, or leave the old history as if nothing had happened.
FLAT = {"gt_", "ge_", "lt_", "le_", "eq_", "ne_", "greater_", "less_", "not_equal_", *UNCHECKED}
# Writes that change the derivative of what comes after them; additions and fills do not.
BENDING = {"clamp_", "clip_", "clamp_min_", "clamp_max_", "mul_", "div_", "pow_", "neg_", "abs_"}
BENDING |= {"relu_", "exp_", "log_", "sqrt_", "square_", "sigmoid_", "tanh_", "reciprocal_"}


@dataclass(slots=True, eq=False, repr=False)
class Writes(Checker):
    """The writes of a run that may be pitfalls.

    `observed` are tensors with a hook, or that keep their gradient, `underived` values that were
    overwritten without a derivative, `unrecorded` those that were changed where autograd does not
    record it, at a time, `bent` those of them through which backward went afterwards.
    """

    observed: dict[int, tuple[Tensor, Created]] = field(default_factory=dict)
    underived: list[tuple[Node, Tensor, Modified]] = field(default_factory=list)
    unrecorded: list[tuple[Node, int, Write]] = field(default_factory=list)
    bent: list[tuple[Node, Write]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, TensorObserved, cls.observe)
        to.add(cls, OperatorRun, cls.ran)
        to.add(cls, PassBegun, cls.passed)

    def observe(self, interp: Interpreter, event: TensorObserved) -> None:
        """A hook is put on a tensor that some operator made, or it is to keep its gradient."""
        tensor = event.tensor
        if tensor.node is not None and not tensor.node.opaque:
            self.observed[id(tensor)] = (tensor, Created(event.place, event.operator))

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has written some of its arguments in place."""
        operation = event.operation
        if not operation.form.modifies:
            return
        if self.observed and interp.engine.recording:
            self._judge_observed(interp, operation)
        if operation.operator in BENDING:
            self._remember_unrecorded(interp, operation)
        if operation.operator in FLAT and interp.engine.recording:
            for tensor in operation.written:
                if tensor.node is not None and tensor.storage.writes:
                    write = tensor.storage.writes[-1].event
                    self.underived.append((tensor.node, tensor, write))

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """Does a backward go through values that were overwritten without a derivative?"""
        walk = event.walk
        if self.unrecorded:
            self._judge_unrecorded(walk)
        if not self.underived or walk.call.place is None:
            return
        walked = {id(node) for node in walk.order}
        for node, tensor, write in self.underived:
            if id(node) in walked:
                note(
                    interp,
                    Pitfall.WRITE_WITHOUT_DERIVATIVE,
                    write.place,
                    tensor=write.tensor or tensor.name,
                    operator=write.operator,
                    needed=Needed(walk.call.place, walk.call.name),
                    assumptions=node.requires,
                )

    def end(self, interp: Interpreter) -> None:
        """The run is over: which changes that were not recorded were not told otherwise?"""
        told = {
            fault.modified.place for fault in interp.engine.faults if fault.modified is not None
        }
        for source, write in self.bent:
            event = write.event
            if event.place not in told:
                note(
                    interp,
                    Pitfall.UNRECORDED_CHANGE,
                    event.place,
                    tensor=event.tensor,
                    operator=event.operator,
                    built=source.created,
                    assumptions=source.requires | write.changing,
                )

    def _remember_unrecorded(self, interp: Interpreter, operation: Operation) -> None:
        """A value in the middle of a graph is changed where autograd does not record it."""
        tensor = operation.arguments.get("0")
        if not isinstance(tensor, Tensor):
            return
        quiet = interp.engine.switch and not interp.engine.recording
        # Only what `.data` gives itself, and views of it, is on the memory of the value.
        unversioned = [one.source for one in tensor.graph_breaks if one.event.operator == ".data"]
        behind = unversioned if tensor.storage.twins else []
        sources = [tensor.node] if quiet and tensor.node is not None else behind
        source = next((node for node in sources if node.leaf is None and not node.opaque), None)
        if source is None:
            return
        write = tensor.storage.writes[-1] if tensor.storage.writes else None
        if write is not None and write.event.place is not None:
            self.unrecorded.append((source, interp.engine.tick(), write))

    def _judge_unrecorded(self, walk: Pass) -> None:
        for source, clock, write in self.unrecorded:
            if any(node.sequence > clock and source in node.edges for node in walk.order):
                self.bent.append((source, write))

    def _judge_observed(self, interp: Interpreter, operation: Operation) -> None:
        for tensor in operation.written:
            seen = self.observed.pop(id(tensor), None)
            if seen is not None and seen[0] is tensor and tensor.requires_grad is not None:
                note(
                    interp,
                    Pitfall.OBSERVED_MODIFIED,
                    operation.place,
                    tensor=operation.label or tensor.name,
                    operator=seen[1].operator,
                    built=seen[1],
                    assumptions=tensor.requires_grad,
                )
