"""What happens in a run of a Python program, for those who listen (`vm/listening.py`).

An event is told at the moment that its docstring names. It says what has happened, and nothing of
what that may mean: several checkers listen to one event, and each asks itself what it makes of it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograd_lint.engine.graph import Node
from autograd_lint.vm.values import Function, Instance, Items, Mapping, Unknown, Value

if TYPE_CHECKING:
    from autograd_lint.vm.calls import Call
    from autograd_lint.vm.machine import Frame


class Event:
    """Something that happened in a run."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ValueAssigned(Event):
    """A statement is about to assign `value` to what is no plain name: a part, or several names."""

    value: Value


@dataclass(frozen=True, slots=True)
class NameBound(Event):
    """A name that meant `before` is about to mean `value`."""

    target: ast.Name
    before: Value
    value: Value


@dataclass(frozen=True, slots=True)
class AttributeSet(Event):
    """`owner.name = value` is about to happen; `target` is what a statement assigns to."""

    owner: Value
    name: str
    value: Value
    node: ast.AST
    target: ast.expr | None = None


@dataclass(frozen=True, slots=True)
class ElementStored(Event):
    """`value` goes into an element of `owner`; `key` says which, where that is a constant.

    Of a tensor it is told when it has been written.
    """

    target: ast.Subscript
    owner: Value
    value: Value
    key: Value = None


@dataclass(frozen=True, slots=True)
class Augmented(Event):
    """`target += value` has given `result`.

    `added` is the graph of the value, `perhaps_number` that unknown code has made it, which gives
    numbers as well.
    """

    target: ast.expr
    result: Value
    added: Node | None
    perhaps_number: bool


@dataclass(frozen=True, slots=True)
class ValueAppended(Event):
    """A list or dictionary is about to get one more value."""

    container: Items | Mapping
    value: Value
    node: ast.AST


@dataclass(frozen=True, slots=True)
class IterationBegun(Event):
    """Something is about to be gone through; `loop` is the `for` statement that does so."""

    sequence: Value
    node: ast.AST
    loop: ast.For | ast.AsyncFor | None = None


@dataclass(frozen=True, slots=True)
class LoopContinued(Event):
    """A `continue` leaves the iteration of a loop."""

    node: ast.Continue


@dataclass(frozen=True, slots=True)
class ExpressionStatementRun(Event):
    """An expression that is a statement of its own has given `value`, which is dropped."""

    node: ast.expr
    value: Value


@dataclass(frozen=True, slots=True)
class ReturnReached(Event):
    """A function is about to return `value`."""

    value: Value


@dataclass(frozen=True, slots=True)
class FunctionLeft(Event):
    """A function of the program was left; with `finished` it was run to its end.

    `grad_enabled` is the grad mode that it was called in, `receiver` the object whose method it is,
    with which the `arguments` begin then.
    """

    function: Function
    receiver: Value
    frame: Frame
    call: Call
    arguments: list[Value]
    value: Value
    finished: bool
    grad_enabled: bool


@dataclass(frozen=True, slots=True)
class FunctionDecorated(Event):
    """A grad mode decorates a function."""

    function: Function
    node: ast.AST


@dataclass(frozen=True, slots=True)
class ContextEntered(Event):
    """A `with` is about to enter `manager`."""

    manager: Value
    node: ast.AST


@dataclass(frozen=True, slots=True)
class ConstructorRun(Event):
    """The `__init__` that a class of the program defines has made an object."""

    instance: Instance


@dataclass(frozen=True, slots=True)
class ModuleMade(Event):
    """A module was made."""

    module: Instance


@dataclass(frozen=True, slots=True)
class PartSet(Event):
    """A module, or what may be one, is about to get a part in the place of `before`."""

    owner: Instance | Unknown
    before: Value
    value: Value
    node: ast.AST


@dataclass(frozen=True, slots=True)
class ModuleCalled(Event):
    """A module has given a result; `node` is the graph of it, where it has one.

    `itself` says that the module was called, and not another method of it.
    """

    module: Instance | Unknown
    node: Node | None
    call: Call
    itself: bool = True


@dataclass(frozen=True, slots=True)
class ForwardCalled(Event):
    """The `forward` of a module is called by its name."""

    module: Value
    node: ast.AST


@dataclass(frozen=True, slots=True)
class EntryReturned(Event):
    """A function that was run although nothing in its file calls it has returned `result`."""

    function: Function
    result: Value


@dataclass(frozen=True, slots=True)
class MethodRepeated(Event):
    """A method of an object was called several times, as its callers would."""

    instance: Instance


@dataclass(frozen=True, slots=True)
class GivenToUnknownCode(Event):
    """Code that is not seen is called with something."""

    call: Call
