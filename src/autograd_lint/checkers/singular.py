"""Gradients that are infinite or not a number: hidden by a mask, or at zero.

A masked value is multiplied by a gradient of zero on its way back; zero times infinity is not a
number, so the mask does not help.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.intervals import (
    OPPOSITE,
    OVERFLOW,
    SINGULAR,
    TO_ZERO,
    ZERO,
    Interval,
    holding,
)
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.operate import Operation
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import OperatorRun, PassBegun, ZerosMade
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

FAR = 12  # nodes between a function and the mask over its result
SELECTING = {"where", "masked_fill", "masked_fill_", "mul"}
NEGATING = {"logical_not", "bitwise_not"}
# What leaves a zero where it was; sums do where they are taken over one dimension.
KEEPING = {"square", "abs", "mul", "neg", "clone", "relu", "view", "reshape", "div"}
SUMS = {"sum", "mean", "amax", "max"}
Condition = tuple[Tensor, Tensor, str, float]  # result, what is compared, how, with what
EVERYWHERE, SOMEWHERE, ROWS = "everywhere", "somewhere", "in whole rows"
AT_ZERO = {"sqrt", "rsqrt", "log", "std"}
WATCHED = frozenset({*SINGULAR, *OPPOSITE, *SELECTING, *NEGATING, "div", "pow", "sub"})


@dataclass(slots=True, eq=False)
class Hazard:
    """A node with an infinite derivative for some values: those that a mask lays aside, or zero."""

    node: Node
    masked_at: Place | None
    made: Created
    because: Assumption | None


@dataclass(slots=True, eq=False)
class Singularities(Checker):
    """What is known of self.

    `conditions` are results of comparisons of a tensor with a number, `singular` the nodes of
    functions without a derivative in some intervals of their argument, `zeros` tensors that are
    zero, and where.
    """

    conditions: dict[int, Condition] = field(default_factory=dict)
    singular: dict[int, tuple[Node, Tensor, tuple[Interval, ...]]] = field(default_factory=dict)
    zeros: dict[int, tuple[Tensor, str]] = field(default_factory=dict)
    hazards: dict[int, Hazard] = field(default_factory=dict)

    def listen(self, to: Listeners) -> None:
        to.add(ZerosMade, self.zero)
        to.add(OperatorRun, self.ran)
        to.add(PassBegun, self.passed)

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: what is known of its values?"""
        operation, results = event.operation, event.results
        name, result = operation.operator, results[0] if results else None
        if result is None or not (name in WATCHED or self.zeros):
            return
        if name in OPPOSITE:
            self._compared(operation, result)
        elif name in NEGATING:
            self._negated(operation, result)
        elif result.node is not None:
            if name in SELECTING:
                self._selected(operation, result.node)
            self._note_singular(operation, result.node, event.dotted)
            if name == "sub":
                self._differ(operation, result)
        if self.zeros:
            self._keep_zeros(operation, result)

    def zero(self, interp: Interpreter, event: ZerosMade) -> None:
        """A leaf was made that is zero."""
        if event.tensor.requires is not None:
            where = EVERYWHERE if event.everywhere else SOMEWHERE
            self.zeros[id(event.tensor)] = (event.tensor, where)

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
                Pitfall.MASKED_SINGULARITY if masked else Pitfall.SINGULAR_AT_ZERO,
                hazard.masked_at or hazard.made.place,
                operator=hazard.made.operator,
                built=hazard.made if masked else None,
                needed=Needed(walk.call.place, walk.call.name),
                assumptions=assumed | walk.call.assumptions | _as_data(node.requires),
            )

    def _compared(self, operation: Operation, result: Tensor) -> None:
        left, bound = operation.arguments.get("0"), operation.arguments.get("1")
        if isinstance(left, Tensor) and isinstance(bound, (int, float)):
            entry = (result, left, operation.operator, float(bound))
            self.conditions[id(result)] = entry

    def _negated(self, operation: Operation, result: Tensor) -> None:
        known = self._condition(operation.arguments.get("0"))
        if known is not None:
            _, left, kind, bound = known
            self.conditions[id(result)] = (result, left, OPPOSITE[kind], bound)

    def _condition(self, value: object) -> Condition | None:
        found = self.conditions.get(id(value))
        return found if found is not None and found[0] is value else None

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
        if domain and isinstance(argument, Tensor) and argument.requires_grad is not None:
            self.singular[id(node)] = (node, argument, domain)

    def _selected(self, operation: Operation, node: Node) -> None:
        """A mask lays aside some elements of a result: those for which it is not differentiable?"""
        for condition, branch, holds in self._branches(operation):
            _, left, kind, bound = condition
            laid_aside = holding(OPPOSITE[kind] if holds else kind, bound)
            found = self._singular_behind(branch, left, laid_aside)
            if found is not None:
                culprit, domain = found
                # A mask that is drawn where the derivative ends tells that values do get there.
                guards = any(part.ends_at(bound) for part in domain)
                daring = 1 if OVERFLOW in domain or not guards else 0
                aside = Assumption(Kind.CONDITION_LAYS_ASIDE, operation.operator, weight=daring)
                made = Created(culprit.place, culprit.operator)
                hazard = Hazard(culprit, operation.place, made, aside)
                self.hazards[id(culprit)] = hazard

    def _branches(self, operation: Operation) -> list[tuple[Condition, Tensor, bool]]:
        """The conditions of an operator, each with what is taken where it holds, or does not."""
        arguments = [operation.arguments.get(str(position)) for position in range(3)]
        found: list[tuple[Condition, Tensor, bool]] = []
        for position, value in enumerate(arguments):
            condition = self._condition(value)
            if condition is None:
                continue
            others = [(i, one) for i, one in enumerate(arguments) if i != position]
            for i, other in others:
                if isinstance(other, Tensor) and other.node is not None:
                    # `masked_fill` keeps its tensor where the condition does not hold.
                    holds = i != 2 and not operation.operator.startswith("masked_fill")
                    found.append((condition, other, holds))
        return found

    def _singular_behind(
        self, branch: Tensor, left: Tensor, laid_aside: Interval
    ) -> tuple[Node, tuple[Interval, ...]] | None:
        """The function of `left` behind a branch that has no derivative for what is laid aside."""
        stack = [branch.node] if branch.node is not None else []
        seen: set[int] = set()
        while stack and len(seen) < FAR:
            node = stack.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            known = self.singular.get(id(node))
            if known is not None and known[1] is left:
                domain = tuple(part for part in known[2] if part.meets(laid_aside))
                if domain:
                    return node, domain
            stack.extend(node.edges)
        return None

    def _differ(self, operation: Operation, result: Tensor) -> None:
        """All differences of the rows of one tensor: on the diagonal they are zero."""
        one, other = operation.arguments.get("0"), operation.arguments.get("1")
        if not (isinstance(one, Tensor) and isinstance(other, Tensor)) or one is other:
            return
        base = one.base
        if base is None or other.base is not base or base.shape is None:
            return
        rank = len(base.shape) + 1
        shapes = (one.shape, other.shape)
        if (
            all(shape is not None and len(shape) == rank for shape in shapes)
            and shapes[0] != shapes[1]
        ):
            self.zeros[id(result)] = (result, ROWS)

    def _keep_zeros(self, operation: Operation, result: Tensor) -> None:
        name = operation.operator
        source = operation.arguments.get("0")
        known = self.zeros.get(id(source))
        if known is None or known[0] is not source or result is source:
            return
        if known[0].storage.writes or known[0].storage.unversioned_writes:
            return
        where = known[1]
        if name in AT_ZERO and result.node is not None and (name != "std" or where == EVERYWHERE):
            made = Created(result.node.place, name)
            self.hazards[id(result.node)] = Hazard(result.node, None, made, None)
        if _keeps(name, operation.arguments.get("1"), where):
            self.zeros[id(result)] = (result, where)


def _of_power(exponent: object) -> tuple[Interval, ...]:
    if not isinstance(exponent, (int, float)):
        return ()
    if exponent < 0 and exponent == int(exponent):
        return (ZERO,)
    return (TO_ZERO,) if exponent < 1 and exponent != int(exponent) else ()


def _keeps(name: str, second: object, where: str) -> bool:
    """Whether a result is zero where its argument is."""
    if name in SUMS:
        return where == EVERYWHERE or (where == ROWS and second is not None)
    if name == "pow":
        return isinstance(second, (int, float)) and second > 0
    return name in KEEPING


def _as_data(requires: frozenset[Assumption]) -> frozenset[Assumption]:
    """What the code is given may be anything: who guards a division mostly divides counts."""
    return frozenset(assumption.as_data() for assumption in requires)
