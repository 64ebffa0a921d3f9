"""What is known of the numbers in tensors: from which other tensor they were computed element by
element, between which they lie, and which they are.

It tells of no pitfall itself; the checkers of singular functions read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from autograd_lint.checkers.images import FUNCTIONS, SAME, Intervals, Step, clamped, scaled, shifted
from autograd_lint.checkers.intervals import RANGES, Interval
from autograd_lint.checkers.zeros import added_dimension
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.events import Detached, NumbersMade, OperatorRun, ParameterMade
from autograd_lint.vm.events import GivenToUnknownCode
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter

ANYWHERE = Interval(-inf, inf)
INVERSE = FUNCTIONS["reciprocal"]
NEGATIVE = FUNCTIONS["neg"]
TURNED = {"radd": "add", "rsub": "sub", "rmul": "mul"}
CLAMPING = frozenset({"clamp", "clip", "clamp_min", "clamp_max"})
ARITHMETIC = frozenset({"add", "sub", "pow", "mul", "div", "true_divide", *TURNED})
FOLLOWED = ARITHMETIC.union(CLAMPING, FUNCTIONS, RANGES, {"getitem"})


@immutable
class Computed:
    """`tensor` was computed from `root` by `steps`, when both had been written so many times."""

    tensor: Tensor
    root: Tensor
    steps: tuple[Step, ...]
    writes: tuple[int, int]

    @classmethod
    def of(cls, tensor: Tensor, root: Tensor, steps: tuple[Step, ...]) -> Computed:
        """What is so now."""
        return cls(tensor, root, steps, (_writes(tensor), _writes(root)))

    def holds(self) -> bool:
        """Whether nothing was written since."""
        return self.writes == (_writes(self.tensor), _writes(self.root))


def _writes(tensor: Tensor) -> int:
    return len(tensor.storage.writes) + len(tensor.storage.unversioned_writes)


@dataclass(slots=True, eq=False, repr=False)
class NumberRecord(Listener):
    """What is known of tensors, by their identity.

    `numbers` are all the different ones that a tensor holds, where it was made of literal data.
    `differences` are the results of one tensor minus another.
    """

    computed: dict[int, Computed] = field(default_factory=dict)
    numbers: dict[int, tuple[Computed, frozenset[float]]] = field(default_factory=dict)
    ranges: dict[int, tuple[Tensor, Interval]] = field(default_factory=dict)
    differences: dict[tuple[int, int], tuple[Tensor, Computed, Computed]] = field(
        default_factory=dict
    )

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, NumbersMade, cls.made)
        to.add(cls, ParameterMade, cls.parameter_made)
        to.add(cls, Detached, cls.detached)
        to.add(cls, GivenToUnknownCode, cls.given_to_unknown_code)
        to.add(cls, OperatorRun, cls.ran, only=FOLLOWED.__contains__)

    def made(self, interp: Interpreter, event: NumbersMade) -> None:
        """A tensor was made of numbers."""
        tensor = event.tensor
        self.numbers[id(tensor)] = (Computed.of(tensor, tensor, ()), event.numbers)

    def parameter_made(self, interp: Interpreter, event: ParameterMade) -> None:
        known = self.numbers_of(event.data)
        if known:
            self.numbers[id(event.made)] = (Computed.of(event.made, event.made, ()), known)

    def given_to_unknown_code(self, interp: Interpreter, event: GivenToUnknownCode) -> None:
        """It may fill a tensor with other numbers."""
        for tensor in event.tensors():
            self.numbers.pop(id(tensor), None)

    def detached(self, interp: Interpreter, event: Detached) -> None:
        self._derive(event.source, event.alias, SAME)

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: is its result a function of one argument?"""
        result = event.results[0] if event.results else None
        if result is None:
            return
        name = event.operation.operator
        if name in RANGES:
            self.ranges[id(result)] = (result, RANGES[name])
            return
        if name == "getitem":
            self._indexed(event, result)
            return
        found = steps_of(event.operation, event.dotted)
        if found is not None:
            self._derive(found[0], result, *found[1])
        elif name == "sub":
            self._subtracted(event.operation.arguments, result)

    def _indexed(self, event: OperatorRun, result: Tensor) -> None:
        """A tensor of which an index takes all gets another dimension: `x[:, None]`."""
        source = event.operation.arguments.get("0")
        if isinstance(source, Tensor) and added_dimension(event.node) is not None:
            self._derive(source, result, SAME)

    def _subtracted(self, arguments: Mapping[str, object], result: Tensor) -> None:
        """The same two tensors may have been subtracted before: both results are the same."""
        left, right = arguments.get("0"), arguments.get("1")
        if isinstance(left, Tensor) and isinstance(right, Tensor):
            known = self.difference(left, right)
            if known is not None:
                self._derive(known[0], result, *known[1])
            else:
                sides = Computed.of(left, left, ()), Computed.of(right, right, ())
                self.differences[id(left), id(right)] = (result, *sides)

    def difference(self, left: Tensor, right: Tensor) -> tuple[Tensor, tuple[Step, ...]] | None:
        """The tensor that `left - right` was computed as, and what is to be done to it."""
        for first, second, step in ((left, right, SAME), (right, left, NEGATIVE)):
            known = self.differences.get((id(first), id(second)))
            if known is None or known[1].tensor is not first or known[2].tensor is not second:
                continue
            if known[1].holds() and known[2].holds():
                root, before = self.chain(known[0])
                return root, (*before, step)
        return None

    def _derive(self, source: Tensor, result: Tensor, *steps: Step) -> None:
        if result is not source:
            root, before = self.chain(source)
            self.computed[id(result)] = Computed.of(result, root, (*before, *steps))

    def chain(self, tensor: Tensor) -> tuple[Tensor, tuple[Step, ...]]:
        """The tensor that one was computed from, and how."""
        known = self.computed.get(id(tensor))
        if known is None or known.tensor is not tensor or not known.holds():
            return tensor, ()
        return known.root, known.steps

    def numbers_of(self, tensor: Tensor) -> frozenset[float]:
        """The numbers that a tensor holds, empty where they are not known."""
        known = self.numbers.get(id(tensor))
        if known is None or known[0].tensor is not tensor or not known[0].holds():
            return frozenset()
        return known[1]

    def possible(self, root: Tensor) -> Intervals:
        """Where the numbers in a tensor may lie."""
        numbers = self.numbers_of(root)
        if numbers:
            return tuple(Interval(number, number) for number in sorted(numbers))
        known = self.ranges.get(id(root))
        return (known[1] if known is not None and known[0] is root else ANYWHERE,)


def steps_of(operation: Operation, dotted: str) -> tuple[Tensor, tuple[Step, ...]] | None:
    """The one tensor that a result is a function of, and which."""
    name, arguments = operation.operator, operation.arguments
    first, second = arguments.get("0"), arguments.get("1")
    turned = dotted.rpartition(".")[2].startswith("__r")
    if not isinstance(first, Tensor):
        first, second, turned = second, first, not turned
    if not isinstance(first, Tensor):
        return None
    if name in FUNCTIONS:
        return first, (FUNCTIONS[name],)
    if name in CLAMPING:
        ends = _ends(name, operation)
        return (first, (clamped(*ends),)) if ends is not None else None
    if isinstance(second, bool) or not isinstance(second, (int, float)):
        return None
    steps = _arithmetic(TURNED.get(name, name), second, turned)
    return (first, steps) if steps else None


def _arithmetic(name: str, number: float, turned: bool) -> tuple[Step, ...]:
    if name == "add":
        return (shifted(number),)
    if name == "sub":
        return (NEGATIVE, shifted(number)) if turned else (shifted(-number),)
    if name == "pow" and not turned:
        return (FUNCTIONS["square"],) if number == 2 else ()
    if number == 0:
        return ()
    if name == "mul":
        return (scaled(number),)
    if name in ("div", "true_divide"):
        return (INVERSE, scaled(number)) if turned else (scaled(1 / number),)
    return ()


def _ends(name: str, operation: Operation) -> tuple[float, float] | None:
    """The ends of a `clamp`, None where they are not known."""
    first, second = operation.arguments.get("1"), operation.arguments.get("2")
    low, high = (None, first) if name == "clamp_max" else (first, second)
    low = -inf if low is None else low
    high = inf if high is None else high
    if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
        return None
    return float(low), float(high)
