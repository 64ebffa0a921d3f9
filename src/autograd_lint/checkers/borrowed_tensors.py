"""Writes to what is the function's own on one side of a condition, and the caller's on the other.

if weights is None:
    scale = torch.ones(3)
else:
    scale = weights
scale[mask] = 0                    # overwrites the weights of the caller
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Condition, Kind
from autograd_lint.engine.events import Noted
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.borrowed_names import Borrowed, borrowed_names, read_behind
from autograd_lint.libraries.torch.events import DetachedInPlace, OperatorRun
from autograd_lint.places import Place
from autograd_lint.vm.contents import elements, tensor_of
from autograd_lint.vm.events import FunctionLeft
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function

WANTED = frozenset({Assumption(Kind.WANTED_BY_CALLER, weight=0)})


def _writes(operator: str) -> bool:
    return operator.endswith("_") or operator == "setitem"


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """A write to an argument of the function at work, or to what takes its place.

    `given` is what the call in the program gives as the argument, `because` what has to hold that
    it is the argument.
    """

    tensor: Tensor
    operator: str
    place: Place
    frame: Frame
    borrowed: Borrowed
    given: ast.expr | None
    because: frozenset[Assumption]


@dataclass(slots=True, eq=False, repr=False)
class BorrowedTensors(Checker):
    """The writes of functions that have not returned yet."""

    writes: list[Write] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.operator_run, only=_writes)
        to.add(cls, DetachedInPlace, cls.detached)
        to.add(cls, FunctionLeft, cls.function_left, waits=True)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has written in place: to an argument of the function?"""
        first = event.operation.arguments.get("0")
        if isinstance(first, Tensor) and any(one is first for one in event.operation.written):
            whole = first if first.base is None or _is_given(interp.frame, first) else first.base
            self._write(interp, whole, event.operation.operator, event.node)

    def detached(self, interp: Interpreter, event: DetachedInPlace) -> None:
        """A tensor loses its graph: that of an argument?"""
        self._write(interp, event.tensor, "detach_", event.node)

    def _write(self, interp: Interpreter, tensor: Tensor, operator: str, node: ast.AST) -> None:
        frame = interp.frame
        function = frame.function
        counts = tensor.dtype in ("int", "bool")
        if function is None or counts or not interp.engine.recording:
            return
        borrowed = _borrowed(function, node)
        if borrowed is None:
            return
        because = WANTED
        if not _is_given(frame, tensor):
            because |= {_otherwise(interp, borrowed)}
        operator = "setitem" if isinstance(borrowed.statement, ast.Assign) else operator
        given, place = _expression(frame, tensor), interp.place(node)
        self.writes.append(Write(tensor, operator, place, frame, borrowed, given, because))

    def function_left(self, interp: Interpreter, event: FunctionLeft) -> None:
        """A function is left: what it returns is no tensor that it has written for that."""
        own = [one for one in self.writes if one.frame is event.frame]
        self.writes = [one for one in self.writes if one.frame is not event.frame]
        if event.value is None:
            return  # It was called for what it writes.
        results = [tensor_of(value) for value in elements(event.value)]
        told: set[str] = set()
        for one in own:
            returned = any(result is one.tensor for result in results)
            if returned or one.borrowed.argument in told or not _is_kept(interp, event, one):
                continue
            told.add(one.borrowed.argument)
            _note(interp, event.function, one)


def _borrowed(function: Function, node: ast.AST) -> Borrowed | None:
    """The statement that a node stands in, if it writes to an argument or a tensor of its own."""
    row = getattr(node, "lineno", 0)
    for one in borrowed_names(function.source, function.node):
        if one.statement.lineno <= row <= (one.statement.end_lineno or row):
            return one
    return None


def _otherwise(interp: Interpreter, borrowed: Borrowed) -> Assumption:
    """That the condition has the outcome with which the argument is written."""
    source = interp.frame.source
    place = source.place(borrowed.test)
    condition = Condition(interp.text(borrowed.test), place, borrowed.where)
    return Assumption(Kind.CONDITION, weight=0, condition=condition)


def _is_given(frame: Frame, tensor: Tensor) -> bool:
    """Whether a tensor is an argument of the function that runs."""
    call = frame.call
    given = [] if call is None else [*call.args, *call.keywords.values()]
    return any(tensor_of(value) is tensor for value in given)


def _expression(frame: Frame, tensor: Tensor) -> ast.expr | None:
    """What the call in the program gives as the argument that a tensor is."""
    call = frame.call
    if call is None or not isinstance(call.node, ast.Call):
        return None
    named = {one.arg: one.value for one in call.node.keywords}
    given = [(call.keywords[name], node) for name, node in named.items() if name in call.keywords]
    given += zip(reversed(call.args), reversed(call.node.args), strict=False)
    return next((node for value, node in given if tensor_of(value) is tensor), None)


def _is_kept(interp: Interpreter, event: FunctionLeft, write: Write) -> bool:
    """Whether the caller may use the argument again: a name that it reads later, an attribute."""
    call, given, caller = event.call.node, write.given, interp.frame
    if not isinstance(call, ast.Call):
        return True  # by a caller that is not seen
    scope = caller.source.tree if caller.function is None else caller.function.node
    if isinstance(given, ast.Name):
        return given.id in read_behind(scope, call)
    return isinstance(given, ast.Attribute)


def _note(interp: Interpreter, function: Function, write: Write) -> None:
    own = function.source.place(write.borrowed.own)
    note(
        interp,
        Pitfall.TAKEN_FOR_OWN,
        write.place,
        tensor=write.borrowed.argument,
        operator=write.operator,
        noted=(Noted(own, "only here it is a new tensor"),),
        assumptions=write.because,
    )
