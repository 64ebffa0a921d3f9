"""Values that are not a number, and are replaced or left out after they were computed.

    share = torch.nan_to_num(a / b)
    loss[loss.isnan()] = 0

The test tells that such values do occur. Their gradient is not a number even so: zero times the
derivative that made them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from autograd_lint.engine.graph import Node
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import OperatorRun
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Unknown

TESTS = {"isnan", "isfinite", "isinf"}
NEGATING = {"logical_not", "bitwise_not"}
REPLACING = {"nan_to_num", "nan_to_num_"}
PICKING = {"getitem", "setitem"}
MASKING = {"where", "masked_fill", "masked_fill_"}  # these give a gradient of zero, whatever comes
ENDING = {*MASKING, "softmax", "log_softmax"}  # the last of these make such values themselves
FAR = 12  # nodes that are looked at behind a mask, or a value that is replaced


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """A condition that says where a value is a number, which had been written so many times."""

    condition: Tensor
    value: Tensor | Unknown
    writes: int

    def holds(self) -> bool:
        """Whether the value was not written since."""
        return self.writes == _writes(self.value)


@dataclass(slots=True, eq=False, repr=False)
class Repairs(Listener):
    """Which tensors hold the answer to whether another one is a number, by their identity; of what
    is not known when it is tested, the unknown."""

    tests: dict[int, Test] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.ran, only=(TESTS | NEGATING).__contains__)

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: does its result say what is a number?"""
        operation, result = event.operation, event.results[0] if event.results else None
        first = operation.arguments.get("0")
        if result is None or not isinstance(first, (Tensor, Unknown)):
            return
        if operation.operator in TESTS:
            self.tests[id(result)] = Test(result, first, _writes(first))
        elif operation.operator in NEGATING:
            known = self.test(first)
            if known is not None:
                self.tests[id(result)] = Test(result, known.value, known.writes)

    def repaired(self, operation: Operation) -> Tensor | None:
        """The tensor of which an operator replaces, or leaves out, what is no number."""
        arguments = operation.arguments
        first = arguments.get("0")
        if operation.operator in REPLACING:
            return first if isinstance(first, Tensor) else None
        tests = filter(None, map(self.test, (first, mask_in(arguments.get("1")))))
        tested = {id(one.value) for one in tests}
        return next((one for one in operation.at_all("012") if id(one) in tested), None)

    def test(self, condition: object) -> Test | None:
        """What a condition says, where it says where something is a number."""
        known = self.tests.get(id(condition))
        return known if known is not None and known.condition is condition else None


def _writes(value: Tensor | Unknown) -> int:
    storage = value.storage if isinstance(value, Tensor) else value.memory
    return len(storage.writes) + len(storage.unversioned_writes) if storage is not None else 0


def is_taken_for(tensor: Tensor, value: Tensor | Unknown) -> bool:
    """Whether a tensor is a value, or what an operator has taken one for that is not known."""
    if tensor is value or not isinstance(value, Unknown):
        return tensor is value
    node = tensor.node
    opaque = node is not None and node.opaque and value.source in (None, node)
    return tensor is value.tensor or (opaque and tensor.name == value.origin)


def mask_in(index: object) -> object:
    """The one part of an index, or the index itself."""
    return index[0] if isinstance(index, (list, tuple)) and len(index) == 1 else index


def starts(operation: Operation, tensor: Tensor) -> list[Node]:
    """The nodes to which a gradient goes from what an operator picks, or overwrites, of a tensor.

    What is written instead gets a gradient of its own.
    """
    if tensor.node is None or operation.operator != "setitem":
        return [tensor.node] if tensor.node is not None else []
    written = [value.node for value in operation.at("2")]
    return [edge for edge in tensor.node.edges if not any(edge is one for one in written)]


def near(begun: Iterable[Node], leads_on: Callable[[Node], bool] | None = None) -> Iterator[Node]:
    """The nodes that some begin at and those behind them, as far as is looked.

    Behind a node that does not lead on nothing is looked at; all do where nothing is said of it.
    """
    stack, seen = list(begun), set[int]()
    while stack and len(seen) < FAR:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if leads_on is None or leads_on(node):
            stack.extend(node.edges)


def exposed(begun: list[Node], singular: Callable[[Node], bool]) -> Node | None:
    """A singular function behind some nodes, from which a gradient gets to a leaf as it is."""

    def leads_on(node: Node) -> bool:
        first = any(node is one for one in begun) and node.operator in MASKING
        return first or node.operator not in ENDING

    found = (node for node in near(begun, leads_on) if singular(node))
    return next((node for node in found if any(map(_leads_on, node.edges))), None)


def _leads_on(start: Node) -> bool:
    """Whether a gradient gets to a leaf without a mask in between, as far as is looked."""
    stack, seen = [start], set[int]()
    while stack and len(seen) < FAR:
        node = stack.pop()
        if id(node) in seen or node.operator in MASKING:
            continue
        seen.add(id(node))
        if not node.edges:
            return True
        stack.extend(node.edges)
    return bool(stack)
