"""Arguments that a function writes in a way that looks as if it made new tensors.

def shift(x):
    x += 1                                     # the caller's tensor
    return x * 2
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.aliases import Aliases
from autograd_lint.checkers.checker import Checker
from autograd_lint.engine.events import Modified
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import OperatorRun
from autograd_lint.vm.events import Augmented, FunctionLeft
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


def _seems_to_make_new(operator: str) -> bool:
    return not operator.endswith("_") and operator != "setitem"


@dataclass(frozen=True, slots=True, eq=False)
class Lent:
    """A tensor that a function has written, and may have been given."""

    tensor: Tensor
    write: Modified
    frame: Frame


@dataclass(slots=True, eq=False, repr=False)
class LentArguments(Checker):
    """The tensors that functions have written so, while these run."""

    lent: list[Lent] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.operator_run, only=_seems_to_make_new)
        to.add(cls, Augmented, cls.augmented)
        to.add(cls, FunctionLeft, cls.function_left, waits=True)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: has it written its first argument?"""
        operation = event.operation
        # `out=` says as plainly what is written as the name of an operator does.
        if operation.written and not operation.at("out") and interp.frame.function is not None:
            first = operation.arguments.get("0")
            for tensor in (one for one in operation.written if one is first):
                self._lend(interp, tensor)

    def augmented(self, interp: Interpreter, event: Augmented) -> None:
        """`argument += value` in a function that was given the argument."""
        if isinstance(event.result, Tensor) and _is_argument(interp, event.target):
            self._lend(interp, event.result)

    def _lend(self, interp: Interpreter, tensor: Tensor) -> None:
        if tensor.storage.writes:
            self.lent.append(Lent(tensor, tensor.storage.writes[-1].event, interp.frame))

    def function_left(self, interp: Interpreter, event: FunctionLeft) -> None:
        """A function is left in which tensors were written that it may have been given."""
        frame, result = event.frame, event.value
        own = [one for one in self.lent if one.frame is frame]
        self.lent = [one for one in self.lent if one.frame is not frame]
        if result is None:
            return  # It was called for what it writes.
        for one in own:
            given = any(argument is one.tensor for argument in event.arguments)
            if given and not self._is_meant(frame, one.write):
                interp.state(Aliases).overwritten(one.tensor, one.write, result)

    def _is_meant(self, frame: Frame, write: Modified) -> bool:
        """Whether a caller has done the very same, by the same code: it is to be done to both."""
        code = _code(frame, write)
        others = (one for one in self.lent if one.write != write)
        return any(_code(one.frame, one.write) == code for one in others)


def _is_argument(interp: Interpreter, target: ast.expr) -> bool:
    """Whether a target is a parameter of the function that runs."""
    function = interp.frame.function
    if function is None or not isinstance(target, ast.Name):
        return False
    arguments = function.node.args
    return any(target.id == one.arg for one in (*arguments.posonlyargs, *arguments.args))


def _code(frame: Frame, event: Modified) -> list[str]:
    """The lines of a function that write, without their indentation."""
    place, function = event.place, frame.function
    if place is None or function is None or place.filename != function.source.filename:
        return []
    _ = function.node  # its code is looked at
    rows = function.source.lines[place.row - 1 : place.end_row]
    return [row.strip() for row in rows]
