"""Custom Functions whose `backward` is not the derivative of their `forward`.

def forward(ctx, x, scale, shift):
    return x * scale + shift
def backward(ctx, grad):
    return grad * scale, grad, grad * x           # in the order of x, shift, scale

Both are held against each other as formulas of single numbers (`formulas.py`). Who hands a gradient
on as it is, or lets through what it is given, means a gradient of its own: a straight-through
estimator, a reversal; unless all that `forward` does is to multiply its one tensor by a number. So
does who gives `forward` a tensor that only the gradient is computed from.
What does not use the gradient that it gets is told by another rule.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.formulas import Formulas, Numbers
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import (
    FunctionBackwardRun,
    FunctionForwardRun,
    OperatorRun,
)
from autograd_lint.libraries.torch.functions.custom_functions import is_custom_function
from autograd_lint.vm.contents import elements
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class

SAMPLES = ((0.37, 0.71, 0.53, 0.29), (0.61, 0.43, 0.83, 0.47), (0.89, 0.31, 0.67, 0.73))
GRADIENT = 0.91  # of the result
STEP = 1e-5
CLOSE = 1e-3  # what two derivatives may differ by, each being of the size of one


@dataclass(frozen=True, slots=True, eq=False)
class Forward:
    """What `forward` was given and has made."""

    inputs: Sequence[Tensor]
    result: Tensor


@dataclass(slots=True, eq=False, repr=False)
class WrongBackwards(Checker):
    """What custom Functions compute, and the last `forward` of each."""

    formulas: Formulas = field(default_factory=Formulas)
    forwards: dict[Class, Forward] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.ran)
        to.add(cls, FunctionForwardRun, cls.ran_forward)
        to.add(cls, FunctionBackwardRun, cls.ran_backward)

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: in a method of a custom Function?"""
        function = interp.frame.function
        owner = function.owner if function is not None else None
        if owner is not None and event.results and is_custom_function(owner):
            self.formulas.ran(event.operation, event.results[0], event.dotted)

    def ran_forward(self, interp: Interpreter, event: FunctionForwardRun) -> None:
        """`forward` has run: what is its result, where that is one tensor?"""
        self.forwards.pop(event.cls, None)
        if isinstance(event.result, Tensor):
            self.forwards[event.cls] = Forward(event.inputs, event.result)

    def ran_backward(self, interp: Interpreter, event: FunctionBackwardRun) -> None:
        """`backward` has run: are the gradients the derivatives?"""
        forward = self.forwards.get(event.cls)
        returns = [one for one in ast.walk(event.backward.node) if isinstance(one, ast.Return)]
        if forward is None or len(returns) != 1 or len(event.gradients) != 1:
            return
        returned = elements(event.result, "tuple")
        if len(returned) != len(event.inputs) or len(forward.inputs) > len(SAMPLES[0]):
            return
        pairs = [
            (one, gradient)
            for one, gradient in zip(event.inputs, returned, strict=True)
            if isinstance(one, Tensor) and isinstance(gradient, Tensor)
        ]
        if any(self._is_wrong(forward, event.gradients[0], *pair) for pair in pairs):
            because = Assumption(Kind.MEANT_FOR_AUTOGRAD, event.cls.name, weight=0)
            note(
                interp,
                Pitfall.WRONG_BACKWARD,
                event.backward.source.place(returns[0]),
                tensor=event.cls.name,
                operator="backward",
                assumptions=frozenset({because}),
            )

    def _is_wrong(
        self, forward: Forward, gradient: Tensor, given: Tensor, returned: Tensor
    ) -> bool:
        """Whether the gradient of an input differs from the derivative, whatever the numbers."""
        found = list(self._compared(forward, gradient, given, returned))
        return len(found) == len(SAMPLES) and all(found)

    def _compared(
        self, forward: Forward, gradient: Tensor, given: Tensor, returned: Tensor
    ) -> Iterator[bool]:
        """Whether both differ for each sample; nothing where that cannot be told, or is meant."""
        for sample in SAMPLES:
            numbers = dict(zip(map(id, forward.inputs), sample, strict=False))
            slope = self._slope(forward, given, numbers)
            value = self.formulas.value(forward.result, numbers)
            got = self.formulas.value(returned, {**numbers, id(gradient): GRADIENT})
            ignored = self.formulas.value(returned, {**numbers, id(gradient): 0.0})
            if slope is None or got is None or value is None or ignored == got:
                return
            if self._is_given_for_it(forward, gradient, returned, numbers):
                return
            if abs(value - numbers[id(given)]) < CLOSE:
                return
            if abs(got - GRADIENT) < CLOSE and not self._is_scaled(forward, value, numbers):
                return
            if abs(slope) > CLOSE:
                yield abs(got - GRADIENT * slope) > CLOSE * (1 + abs(got))

    def _is_given_for_it(
        self, forward: Forward, gradient: Tensor, returned: Tensor, numbers: Numbers
    ) -> bool:
        """Whether an input that the result does not depend on makes the gradient another one: it is
        given for that alone (the moving average of a denominator)."""
        for key in numbers:
            moved = {**numbers, key: numbers[key] + GRADIENT}
            values = [self.formulas.value(forward.result, one) for one in (numbers, moved)]
            gradients = [
                self.formulas.value(returned, {**one, id(gradient): GRADIENT})
                for one in (numbers, moved)
            ]
            if values[0] == values[1] and gradients[0] != gradients[1]:
                return True
        return False

    def _is_scaled(self, forward: Forward, value: float, numbers: Numbers) -> bool:
        """Whether a result is the one tensor that `forward` was given, times a number."""
        (first, *others) = forward.inputs
        doubled = self.formulas.value(forward.result, {id(first): 2 * numbers[id(first)]})
        return not others and doubled is not None and abs(doubled - 2 * value) < CLOSE

    def _slope(self, forward: Forward, given: Tensor, numbers: Numbers) -> float | None:
        """The derivative of the result by an input."""
        if id(given) not in numbers:
            return None
        ends = [
            self.formulas.value(forward.result, {**numbers, id(given): numbers[id(given)] + step})
            for step in (STEP, -STEP)
        ]
        above, below = ends
        return None if above is None or below is None else (above - below) / (2 * STEP)
