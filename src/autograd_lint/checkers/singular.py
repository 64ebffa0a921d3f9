"""Gradients that are infinite or not a number: hidden by a mask, or at zero.

A masked value is multiplied by a gradient of zero on its way back; zero times infinity is not a
number, so the mask does not help.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import exp, inf

from autograd_lint.checkers import clamped, conditions, diagonals, range_ends, zeros
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.clamped import Clamps
from autograd_lint.checkers.conditions import Conditions, Part
from autograd_lint.checkers.diagonals import AT_ONE, Diagonals
from autograd_lint.checkers.hazards import Hazard, required
from autograd_lint.checkers.images import Intervals, image
from autograd_lint.checkers.intervals import OVERFLOW, SINGULAR, TO_ZERO, ZERO, Interval
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.number_record import ANYWHERE, NumberRecord, steps_of
from autograd_lint.checkers.repairs import (
    PICKING,
    REPLACING,
    TESTS,
    Repairs,
    exposed,
    mask_in,
    near,
    starts,
)
from autograd_lint.checkers.zeros import Zeros, added_dimension
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.pitfalls import CLAMPED
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import NumbersMade, OperatorRun, ParameterMade, PassBegun
from autograd_lint.vm.events import GivenToUnknownCode
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

SELECTING = {"where", "masked_fill", "masked_fill_", "mul", *PICKING}
FUNCTIONS = frozenset({*SINGULAR, "div", "pow"})
DROPPING = frozenset({"dropout", "Dropout", "alpha_dropout"})  # set some elements to zero
WATCHED = frozenset(
    {
        *FUNCTIONS,
        *SELECTING,
        *conditions.WATCHED,
        *TESTS,
        *REPLACING,
        *DROPPING,
        *diagonals.WATCHED,
        *clamped.CLAMPING,
        *range_ends.WATCHED,
    },
)
DIAGONAL = frozenset({0.0, 1.0})  # zeros, among other numbers
NOT_NEGATIVE = Interval(0.0, inf)  # whoever adds a little to a divisor thinks of such numbers


@dataclass(slots=True, eq=False, repr=False)
class Singularities(Checker):
    """What is known of conditions and zeros; `singular` are the nodes of functions without a
    derivative in some intervals of their argument, `quotients` those of divisions, also by data."""

    conditions: Conditions = field(default_factory=Conditions)
    zeros: Zeros = field(default_factory=Zeros)
    diagonals: Diagonals = field(default_factory=Diagonals)
    clamps: Clamps = field(default_factory=Clamps)
    singular: dict[int, tuple[Node, Tensor, Intervals]] = field(default_factory=dict)
    quotients: dict[int, tuple[Node, Tensor, Intervals]] = field(default_factory=dict)
    hazards: dict[int, Hazard] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, NumbersMade, cls.numbers_made)
        to.add(cls, ParameterMade, cls.parameter_made)
        to.add(cls, OperatorRun, cls.ran)
        to.add(cls, GivenToUnknownCode, cls.given_to_unknown_code)
        to.add(cls, PassBegun, cls.passed)

    def numbers_made(self, interp: Interpreter, event: NumbersMade) -> None:
        """A tensor was made of numbers: is any of them zero?"""
        self.zeros.made(event.tensor, event.numbers)

    def parameter_made(self, interp: Interpreter, event: ParameterMade) -> None:
        """A parameter begins with the numbers it was given."""
        self.zeros.made(event.made, interp.state(NumberRecord).numbers_of(event.data))

    def given_to_unknown_code(self, interp: Interpreter, event: GivenToUnknownCode) -> None:
        """It may fill a tensor of zeros: an extension writes its results to what it is given."""
        for tensor in event.tensors():
            self.zeros.forget(tensor)

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: what is known of its values?"""
        operation, results = event.operation, event.results
        name, result = operation.operator, results[0] if results else None
        if name == "setitem":
            result = next(iter(operation.at("0")), None)
        if result is None or not (name in WATCHED or self.zeros.concern(operation)):
            return
        numbers = interp.state(NumberRecord)
        if name in conditions.WATCHED:
            self.conditions.ran(operation, result, numbers)
            if result.dtype == "bool" or self.conditions.of(result):
                self.zeros.masked(result, Assumption(Kind.CONDITION_LAYS_ASIDE, name, weight=0))
        if result.node is not None:
            if name in SELECTING:
                self._selected(operation, numbers)
            if name in SELECTING or name in REPLACING:
                self._repaired(interp, operation)
            if name in FUNCTIONS:
                self._note_singular(operation, result.node, event.dotted)
                self._note_clamped(operation, result.node)
                self._note_end(operation, result.node, numbers)
            self.clamps.ran(operation, result)
            if name in clamped.CLAMPING:
                self._clamped_too_late(operation, numbers)
        if name == "mul" and any(self.conditions.of(operation.arguments.get(k)) for k in "01"):
            self.zeros.masked(result, Assumption(Kind.CONDITION_LAYS_ASIDE, name, weight=0))
        if name in DROPPING and result is not operation.arguments.get("0"):
            self.zeros.masked(result, Assumption(Kind.CONDITION_LAYS_ASIDE, name, weight=0))
        self._keep_zeros(operation, result, event)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does it go through a function that has no derivative there?"""
        walk = event.walk
        hazards = self.hazards
        if not hazards:
            return
        for node in walk.order:
            hazard = hazards.get(id(node))
            if hazard is None or hazard.node is not node:
                continue
            masked = hazard.masked_at is not None
            if not masked and not walk.call.accumulate:
                continue  # who asks for this one gradient looks at what it is
            assumed = frozenset({hazard.because}) if hazard.because is not None else frozenset()
            note(
                interp,
                hazard.kind(),
                hazard.masked_at or hazard.made.place,
                operator=hazard.made.operator,
                detail=hazard.detail or hazard.end,
                built=hazard.made if masked else None,
                needed=Needed(walk.call.place, walk.call.name),
                assumptions=assumed | walk.call.assumptions | required(hazard),
            )

    def _note_singular(self, operation: Operation, node: Node, dotted: str) -> None:
        """Remember a function that has no finite derivative for some values of its argument."""
        name, arguments = operation.operator, operation.arguments
        key = "1" if name == "div" and not dotted.endswith("__rtruediv__") else "0"
        argument = arguments.get(key)
        domain = SINGULAR.get(name, ())
        if name == "div":
            domain = (ZERO,)
        elif name == "pow":
            domain = _of_power(arguments.get("1"))
        # The derivative of a quotient by its numerator is infinite at zero as well.
        if domain and name == "div" and isinstance(argument, Tensor):
            self.quotients[id(node)] = (node, argument, domain)
        if domain and isinstance(argument, Tensor) and argument.requires_grad is not None:
            self.singular[id(node)] = (node, argument, domain)

    def _note_clamped(self, operation: Operation, node: Node) -> None:
        """Remember a function of what was clamped to where its derivative is infinite."""
        if self.clamps.ends_in(operation):
            made = Created(node.place, operation.operator)
            aside = Assumption(Kind.CONDITION_LAYS_ASIDE, "clamp", weight=0)
            self.hazards[id(node)] = Hazard(node, node.place, made, aside, detail=CLAMPED)

    def _note_end(self, operation: Operation, node: Node, numbers: NumberRecord) -> None:
        """Remember a function of what reaches the end of its range, where that is infinite."""
        end = range_ends.reaching(operation, numbers)
        if end is not None and id(node) not in self.hazards:
            made = Created(node.place, operation.operator)
            self.hazards[id(node)] = Hazard(node, None, made, None, end=end)

    def _selected(self, operation: Operation, numbers: NumberRecord) -> None:
        """A mask lays aside some elements of a result: those for which it is not differentiable?"""
        for part, branch, laid_aside in self._branches(operation):
            possible = numbers.possible(part.root)
            met = (one.meeting(other) for one in laid_aside for other in possible)
            begun = starts(operation, branch)
            found = self._singular_behind(begun, part.root, tuple(filter(None, met)), numbers)
            if found is not None:
                culprit, domain, guards = found
                # A mask that is drawn where the derivative ends tells that values do get there.
                known = possible != (ANYWHERE,)
                daring = 0 if numbers.numbers_of(part.root) else 1
                daring = daring if not known and (OVERFLOW in domain or not guards) else 0
                aside = Assumption(Kind.CONDITION_LAYS_ASIDE, operation.operator, weight=daring)
                made = Created(culprit.place, culprit.operator)
                self.hazards[id(culprit)] = Hazard(culprit, operation.place, made, aside)

    def _repaired(self, interp: Interpreter, operation: Operation) -> None:
        """What is no number is replaced or left out: does a function behind it make it?

        Whether such values come at all is not known: of four that were read none did harm.
        """
        tensor, numbers = interp.state(Repairs).repaired(operation), interp.state(NumberRecord)
        begun = starts(operation, tensor) if tensor is not None else []
        culprit = exposed(begun, lambda node: self._may_fail(node, numbers))
        if culprit is not None and id(culprit) not in self.hazards:
            made = Created(culprit.place, culprit.operator)
            aside = Assumption(Kind.CONDITION_LAYS_ASIDE, operation.operator, weight=2)
            self.hazards[id(culprit)] = Hazard(culprit, operation.place, made, aside, True)

    def _clamped_too_late(self, operation: Operation, numbers: NumberRecord) -> None:
        """What has overflowed is clamped: that is a mask too. Whether it overflows is not known."""
        tensor = operation.arguments.get("0")
        node = tensor.node if isinstance(tensor, Tensor) else None
        bounded = self.clamps.ends_below(operation, exp(OVERFLOW.low))
        if node is None or not bounded or OVERFLOW not in SINGULAR.get(node.operator, ()):
            return
        if self._may_fail(node, numbers):
            made = Created(node.place, node.operator)
            aside = Assumption(Kind.CONDITION_LAYS_ASIDE, operation.operator, weight=2)
            self.hazards[id(node)] = Hazard(node, operation.place, made, aside)

    def _may_fail(self, node: Node, numbers: NumberRecord) -> bool:
        """Whether the argument of a function may lie where that has no derivative."""
        known = self.singular.get(id(node))
        if known is None or known[0] is not node:
            return False
        root, steps = numbers.chain(known[1])
        if root.node is not None and root.node.operator in SELECTING - {"mul"}:
            return False  # what it is given was chosen
        possible = numbers.possible(root)
        reached = image(steps, possible if possible != (ANYWHERE,) else (NOT_NEGATIVE,))
        return any(domain.meets(one) for domain in known[2] for one in reached)

    def _branches(self, operation: Operation) -> Iterator[tuple[Part, Tensor, Intervals]]:
        """What the conditions of an operator say, with a branch and what is not taken of it."""
        if operation.operator in PICKING:
            yield from self._picked(operation)
            return
        arguments = [operation.arguments.get(str(position)) for position in range(3)]
        for position, value in enumerate(arguments):
            for part in self.conditions.of(value) or ():
                for i, other in enumerate(arguments):
                    # `masked_fill` keeps its tensor where the condition does not hold.
                    holds = i != 2 and not operation.operator.startswith("masked_fill")
                    aside = part.fails if holds else part.holds
                    if i == position or not isinstance(other, Tensor) or aside is None:
                        continue
                    if other.node is not None:
                        yield part, other, aside

    def _picked(self, operation: Operation) -> Iterator[tuple[Part, Tensor, Intervals]]:
        """What a mask in an index says, with the tensor and what is overwritten or left out."""
        tensor, mask = operation.arguments.get("0"), mask_in(operation.arguments.get("1"))
        for part in self.conditions.of(mask) or ():
            aside = part.holds if operation.operator == "setitem" else part.fails
            if isinstance(tensor, Tensor) and tensor.node is not None and aside is not None:
                yield part, tensor, aside

    def _singular_behind(
        self, begun: list[Node], root: Tensor, laid_aside: Intervals, numbers: NumberRecord
    ) -> tuple[Node, Intervals, bool] | None:
        """The function behind a branch that has no derivative for what is laid aside of a tensor,
        where that is, and whether the mask is drawn at an end of it."""
        for node in near(begun):
            known = self.singular.get(id(node)) or self.quotients.get(id(node))
            if known is not None:
                argued, steps = numbers.chain(known[1])
                aside = image(steps, laid_aside) if argued is root else ()
                domain = tuple(d for d in known[2] if any(d.meets(one) for one in aside))
                if domain:
                    return node, domain, any(d.ends_with(a) for d in domain for a in aside)
        return None

    def _keep_zeros(self, operation: Operation, result: Tensor, event: OperatorRun) -> None:
        """What is zero behind an operator, and whether it has a derivative there."""
        self.diagonals.ran(operation, result)
        if operation.operator == "sub":
            self.zeros.differ(operation, result)
        self.zeros.bound(operation, result)
        if self.diagonals.cancels(operation):
            self.zeros.made(result, DIAGONAL)
        at_one = operation.operator in AT_ONE and self.diagonals.has_ones(operation.tensors()[0])
        if at_one and result.node is not None:
            made = Created(result.node.place, operation.operator)
            self.hazards[id(result.node)] = Hazard(result.node, None, made, None)
        zero = self.zeros.behind(operation)
        if zero is None or zero.tensor is result:
            return
        if result.node is not None and zero.is_singular_in(operation):
            made = Created(result.node.place, operation.operator)
            self.hazards[id(result.node)] = Hazard(result.node, None, made, zero.because)
        steps = steps_of(operation, event.dotted)
        if steps is not None and operation.operator not in zeros.KEEPING:
            self.zeros.shifted(zero, steps[1], result)
        else:
            self.zeros.kept(operation, zero, result, added_dimension(event.node))


def _of_power(exponent: object) -> tuple[Interval, ...]:
    if not isinstance(exponent, (int, float)):
        return ()
    if exponent < 0 and exponent == int(exponent):
        return (ZERO,)
    return (TO_ZERO,) if exponent < 1 and exponent != int(exponent) else ()
