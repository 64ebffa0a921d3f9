"""Expressions that stand alone as a statement, so that what they give is lost."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import MethodNotCalled
from autograd_lint.libraries.torch.uncalled import NUMBERS, TELLING, is_method
from autograd_lint.project.code import spelt
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.events import (
    ElementStored,
    ExpressionStatementRun,
    GivenToUnknownCode,
    ReturnReached,
    ValueAppended,
)
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Bound, Items, Mapping, Method, Native, Unknown, Value

CONVERSIONS = {"to", "cuda", "cpu", "float", "double", "half", "bfloat16", "long", "int", "detach"}


class DroppedResults(Checker):
    """Looks at each expression that is a statement of its own."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ExpressionStatementRun, cls.stands_alone)
        to.add(cls, MethodNotCalled, cls.not_called)
        to.add(cls, ValueAppended, cls.appended)
        to.add(cls, ElementStored, cls.stored)
        to.add(cls, ReturnReached, cls.returned)
        to.add(cls, GivenToUnknownCode, cls.given)

    def not_called(self, interp: Interpreter, event: MethodNotCalled) -> None:
        """A method is computed with."""
        note(interp, Pitfall.METHOD_AS_VALUE, event.place, operator=event.name)

    def appended(self, interp: Interpreter, event: ValueAppended) -> None:
        """A container gets one more value."""
        _judge_kept(interp, event.value)

    def stored(self, interp: Interpreter, event: ElementStored) -> None:
        """An element of a container is set."""
        _judge_kept(interp, event.value)

    def returned(self, interp: Interpreter, event: ReturnReached) -> None:
        """A function returns a value, or several."""
        for value in _held(event.value):
            _judge_kept(interp, value)

    def given(self, interp: Interpreter, event: GivenToUnknownCode) -> None:
        """Unknown code, a logger for one, is given values."""
        for given in (*event.call.args, *event.call.keywords.values()):
            for value in _held(given):
                _judge_kept(interp, value)

    def stands_alone(self, interp: Interpreter, event: ExpressionStatementRun) -> None:
        """An expression statement has given `value`."""
        node, value = event.node, event.value
        if isinstance(node, ast.Attribute):
            _judge_attribute(interp, node, value)
        elif (
            isinstance(value, Tensor) and isinstance(node, ast.Call) and not interp.engine.catching
        ):
            _judge_result(interp, node, value)


def _judge_kept(interp: Interpreter, value: Value) -> None:
    """A method that reads a tensor is kept where its result is wanted: nobody keeps one to call."""
    if not isinstance(value, Bound) or not isinstance(value.receiver, Tensor):
        return
    if value.name in NUMBERS and isinstance(value.node, ast.expr) and value.source is not None:
        place = value.source.place(value.node)
        because = frozenset({Assumption(Kind.NEVER_CALLED, spelt(value.node), weight=0)})
        note(interp, Pitfall.METHOD_AS_VALUE, place, operator=value.name, assumptions=because)


def _held(value: Value) -> list[Value]:
    """The values of a list, tuple or dictionary, or the value itself."""
    if isinstance(value, Items):
        return value.items
    return list(value.entries.values()) if isinstance(value, Mapping) else [value]


def _judge_attribute(interp: Interpreter, node: ast.Attribute, value: Value) -> None:
    place = interp.place(node)
    if isinstance(value, (Bound, Method)):
        if is_method(interp, value):
            note(interp, Pitfall.NOT_CALLED, place, operator=node.attr)
    elif isinstance(value, Native):
        note(interp, Pitfall.NOT_CALLED, place, operator=node.attr)
    elif isinstance(value, Unknown) and (value.member in TELLING or _is_step(value)):
        because = Assumption(Kind.IS_METHOD, interp.text(node), weight=0)
        assumptions = frozenset({because})
        note(interp, Pitfall.NOT_CALLED, place, operator=value.member, assumptions=assumptions)


def _is_step(value: Unknown) -> bool:
    """Whether it is the `step` of something whose `zero_grad` the program has called."""
    owner = value.parent
    cleared = owner is not None and ("attribute", "zero_grad") in owner.attributes
    return cleared and value.member == "step"


def _judge_result(interp: Interpreter, node: ast.Call, value: Tensor) -> None:
    """`x.clamp(0)`: the result of a method that has an in-place twin is dropped.

    Where nothing requires grad there was nothing for `detach` to cut. A parameter that unknown code
    has made may be of a class of its own, which goes to a device in place.
    """
    function = node.func
    if not isinstance(function, ast.Attribute) or not _simple(function.value):
        return
    if node.end_lineno in interp.source.shown or _is_all_there_is(interp, function.value):
        return
    owner = interp.evaluate(function.value)
    if not isinstance(owner, Tensor) or owner is value or function.attr.endswith("_"):
        return
    if (owner.node is not None and owner.node.opaque) or (owner.parameter and owner.requires):
        return
    cuts = function.attr == "detach"
    if cuts and owner.requires_grad is None:
        return
    twin = interp.world.table.find(f"torch.Tensor.{function.attr}_") is not None
    if twin or function.attr in CONVERSIONS:
        note(
            interp,
            Pitfall.RESULT_DROPPED,
            interp.place(node),
            operator=function.attr,
            assumptions=owner.requires_grad or frozenset() if cuts else frozenset(),
        )


def _is_all_there_is(interp: Interpreter, owner: ast.expr) -> bool:
    """Whether a name of a tensor is read nowhere else: then it was made for what is done to it."""
    if not isinstance(owner, ast.Name):
        return False
    function = interp.frame.function
    if function is None:
        return owner.id in interp.query(interp.source, _read_once_in_file)
    return owner.id in function.query(_read_once)


@query
def _read_once_in_file(source: Source) -> frozenset[str]:
    """The names that a file reads in one place alone."""
    return _once([*source.each(ast.Name), *source.each(ast.AugAssign)])


@query
def _read_once(_: Source, function: ast.AST) -> frozenset[str]:
    """The names that a function reads in one place alone."""
    return _once(ast.walk(function))


def _once(parts: Iterable[ast.AST]) -> frozenset[str]:
    """The names that some code binds itself, and reads in one place: others may be read by whoever
    has given them."""
    seen = list(parts)
    read = Counter(name for one in seen if (name := _read_by(one)) is not None)
    names = (one for one in seen if isinstance(one, ast.Name))
    bound = {one.id for one in names if isinstance(one.ctx, ast.Store)}
    return frozenset(name for name, count in read.items() if count == 1 and name in bound)


def _read_by(part: ast.AST) -> str | None:
    """The name that a part of the code reads: `x`, or that of `x += 1`."""
    if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
        return part.target.id
    read = isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    return part.id if read and isinstance(part, ast.Name) else None


def _simple(node: ast.expr) -> bool:
    """Whether evaluating it once more does nothing."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
