"""Custom Functions whose `backward` is not the derivative of what their `forward` computes.

def forward(ctx, x):
    ...
    return x * torch.sigmoid(x)
def backward(ctx, grad):
    return grad * torch.sigmoid(x)              # a term is missing

The operators of a forward are differentiated by the engine, and that is held against what the
program's backward hands on: as far as both are not zero, and up to a factor. So who estimates
straight through, reverses a gradient or bounds it is not told.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from types import CodeType, FrameType
from typing import Any

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.definitions import result, written
from autograd_lint.live.pitfalls.family import Family, Walked
from autograd_lint.live.pitfalls.told import Told, tensors
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.tapes import Tape

_AGAIN = 2  # calls in which the gradients of a Function were others
_TRIED = 4  # calls of one that are looked at
_LEAST = 4  # elements that are compared
_APART = 0.05  # of the gradient: what does not fit, at least
_VARIADIC = 0x04  # of a code object: it has `*args`


@dataclass(slots=True)
class _Call:
    """A call of a Function: its tape, and the gradients that its backward was given and gave."""

    function: Any
    tape: Tape
    given: torch.Tensor | None = None
    gave: tuple[torch.Tensor | None, ...] = ()


class BackwardFormulas(Family):
    """Keeps the tapes of forwards until their backward, for the first calls of each Function."""

    __slots__ = ("_calls", "_forwards", "_seen", "_told", "_tried", "_wrong")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._forwards: dict[CodeType, Any] = {}
        self._calls: dict[int, _Call] = {}  # by the number of the node
        self._seen: list[_Call] = []
        self._tried: Counter[Any] = Counter()
        self._wrong: Counter[Any] = Counter()

    def look(self, walk: Walk) -> None:
        """A call of the engine begins: which custom Functions does it run?"""
        calls, self._calls = self._calls, {}
        for nodes in walk.kinds.values():
            if graph.runs_program(nodes[0]):
                for node in nodes:
                    known = calls.get(node._sequence_nr())
                    if known is not None and known.tape.is_whole and not walk.creates:
                        node.register_hook(partial(self._ran, known))
                self._expect(getattr(nodes[0], "_forward_cls", None))
        self._told.record.tape = self if self._forwards else None

    def _expect(self, function: Any) -> None:
        """This Function will run again, if it is the program's: has it been tried often?"""
        code = getattr(getattr(function, "forward", None), "__code__", None)
        if code is None or not self._told.sites.is_users(code):
            return
        if self._tried[function] < _TRIED:
            self._forwards[code] = function
        else:
            self._forwards.pop(code, None)

    def ran(self, operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any], made: Any) -> None:
        """An operator has run: in such a forward?"""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_code not in self._forwards:
            frame = frame.f_back
        context = frame.f_locals.get(frame.f_code.co_varnames[0]) if frame is not None else None
        if frame is None or context is None or not graph.runs_program(context):
            return
        number = context._sequence_nr()
        known = self._calls.get(number)
        function = self._forwards[frame.f_code]
        if known is None and self._tried[function] < _TRIED:
            self._tried[function] += 1
            known = self._calls[number] = _Call(function, Tape(tensors(_arguments(frame))))
        if known is not None:
            known.tape.add(operator, args, kwargs, made, frame.f_lineno)

    def _ran(
        self, known: _Call, gave: tuple[torch.Tensor | None, ...], given: tuple[Any, ...]
    ) -> None:
        """The backward of a call has run."""
        with self._told.record.looking("the gradients of a custom Function"):
            if len(given) == 1 and given[0] is not None:
                known.given = given[0].detach()
                known.gave = tuple(None if one is None else one.detach().clone() for one in gave)
                self._seen.append(known)

    def after_backward(self, walked: Walked) -> None:
        """The call of the engine has returned: are the gradients what the operators say?"""
        seen, self._seen = self._seen, []
        for known in seen:
            function = known.function
            if self._is_wrong(known):
                self._wrong[function] += 1
                if self._wrong[function] == _AGAIN:
                    place = result(function.backward)
                    self._told.tell(Pitfall.WRONG_BACKWARD, place, tensor=function.__name__)

    def _is_wrong(self, known: _Call) -> bool:
        rows = _rows(known.function)
        if rows is None or known.given is None or len(known.gave) != len(known.tape.given):
            return False
        expected = known.tape.derivatives(known.given, *rows)
        return any(map(_differ, expected or (), known.gave))


def _arguments(frame: FrameType) -> Iterator[object]:
    """What a forward was given after its context."""
    code, values = frame.f_code, frame.f_locals
    for name in code.co_varnames[1 : code.co_argcount]:
        yield values.get(name)
    if code.co_flags & _VARIADIC:
        yield from values.get(code.co_varnames[code.co_argcount + code.co_kwonlyargcount], ())


def _rows(function: Any) -> tuple[int, int] | None:
    """The rows of the statement that computes what a forward returns, where that is one tensor."""
    _, node = written(function.forward)
    body = node.body if isinstance(node, ast.FunctionDef) else []
    returned = body[-1] if body else None
    if not isinstance(returned, ast.Return) or returned.value is None:
        return None
    if not isinstance(returned.value, ast.Name):
        return returned.lineno, returned.end_lineno or returned.lineno
    name = returned.value.id
    bound = [
        one for one in body if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == name
    ]
    return (bound[-1].lineno, bound[-1].end_lineno or bound[-1].lineno) if bound else None


def _differ(expected: torch.Tensor | None, given: torch.Tensor | None) -> bool:
    """Whether a gradient is another one, whatever it is multiplied by."""
    if expected is None or given is None or expected.shape != given.shape:
        return False
    ours, theirs = expected.double().flatten(), given.double().flatten()
    compared = (ours != 0) & (theirs != 0) & ours.isfinite() & theirs.isfinite()
    ours, theirs = ours[compared], theirs[compared]
    if len(ours) < _LEAST:
        return False
    left = theirs - (theirs @ ours) / (ours @ ours) * ours
    return bool(left.norm() > _APART * theirs.norm())
