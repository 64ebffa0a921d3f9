"""What happens in a run of a Python program, for those who listen (`vm/listening.py`).

An event is told at the moment that its docstring names. It says what has happened, and nothing of
what that may mean: several checkers listen to one event, and each asks itself what it makes of it.
Nobody changes an event. It is not frozen all the same: a run makes one at nearly every step, and
to make a frozen one takes three times as long.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.values import Function, Instance, Items, Mapping, Unknown, Value

if TYPE_CHECKING:
    from autograd_lint.vm.calls import Call
    from autograd_lint.vm.frames import Frame


class Event:
    """Something that happened in a run."""

    __slots__ = ()


@dataclass(slots=True, eq=False, repr=False)
class ValueAssigned(Event):
    """A statement is about to assign `value` to what is no plain name: a part, or several names."""

    value: Value


@dataclass(slots=True, eq=False, repr=False)
class NameBound(Event):
    """A name that meant `before` is about to mean `value`."""

    target: ast.Name
    before: Value
    value: Value


@dataclass(slots=True, eq=False, repr=False)
class TensorRebound(Event):
    """A name that meant the tensor `before` is about to mean `value`, another one."""

    target: ast.Name
    before: Tensor
    value: Tensor


@dataclass(slots=True, eq=False, repr=False)
class AttributeSet(Event):
    """`owner.name = value` is about to happen; `target` is what a statement assigns to."""

    owner: Value
    name: str
    value: Value
    node: ast.AST
    target: ast.expr | None = None


@dataclass(slots=True, eq=False, repr=False)
class DictionaryWritten(Event):
    """A display, or `dict(key=value)`, has made a dictionary; `mapping.written` is its code."""

    mapping: Mapping


@dataclass(slots=True, eq=False, repr=False)
class ElementStored(Event):
    """`value` goes into an element of `owner`; `key` says which, where a dictionary finds it again.

    Of a tensor it is told when it has been written.
    """

    target: ast.Subscript
    owner: Value
    value: Value
    key: Value = None


@dataclass(slots=True, eq=False, repr=False)
class Augmented(Event):
    """`target += value` has given `result`.

    `added` is the graph of the value, `perhaps_number` that unknown code has made it, which gives
    numbers as well.
    """

    target: ast.expr
    result: Value
    added: Node | None
    perhaps_number: bool


@dataclass(slots=True, eq=False, repr=False)
class ValueAppended(Event):
    """A list or dictionary is about to get one more value."""

    container: Items | Mapping
    value: Value
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class IterationBegun(Event):
    """Something is about to be gone through; `loop` is the `for` statement that does so."""

    sequence: Value
    node: ast.AST
    loop: ast.For | ast.AsyncFor | None = None


@dataclass(slots=True, eq=False, repr=False)
class LoopCutShort(Event):
    """A loop is left before its last iteration; `passes` is how many backwards came before it."""

    loop: ast.stmt
    passes: int


@dataclass(slots=True, eq=False, repr=False)
class LoopContinued(Event):
    """A `continue` leaves the iteration of a loop."""

    node: ast.Continue


@dataclass(slots=True, eq=False, repr=False)
class ExpressionStatementRun(Event):
    """An expression that is a statement of its own has given `value`, which is dropped."""

    node: ast.expr
    value: Value


@dataclass(slots=True, eq=False, repr=False)
class ReturnReached(Event):
    """A function is about to return `value`."""

    value: Value


@dataclass(slots=True, eq=False, repr=False)
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


@dataclass(slots=True, eq=False, repr=False)
class FunctionDecorated(Event):
    """A grad mode decorates a function."""

    function: Function
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class ContextEntered(Event):
    """A `with` is about to enter `manager`."""

    manager: Value
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class ConstructorRun(Event):
    """The `__init__` that a class of the program defines has made an object."""

    instance: Instance


@dataclass(slots=True, eq=False, repr=False)
class ModuleMade(Event):
    """A module was made."""

    module: Instance


@dataclass(slots=True, eq=False, repr=False)
class PartSet(Event):
    """A module, or what may be one, is about to get a part in the place of `before`."""

    owner: Instance | Unknown
    before: Value
    value: Value
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class ModuleCalled(Event):
    """A module has given a result; `node` is the graph of it, where it has one.

    `itself` says that the module was called, and not another method of it.
    """

    module: Instance | Unknown
    node: Node | None
    call: Call
    itself: bool = True


@dataclass(slots=True, eq=False, repr=False)
class ForwardCalled(Event):
    """The `forward` of a module is called by its name."""

    module: Value
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class EntryReturned(Event):
    """A function that was run although nothing in its file calls it has returned `result`."""

    function: Function
    result: Value


@dataclass(slots=True, eq=False, repr=False)
class MethodRepeated(Event):
    """A method of an object was called several times, as its callers would."""

    instance: Instance


@dataclass(slots=True, eq=False, repr=False)
class GivenToUnknownCode(Event):
    """Code that is not seen is called with something."""

    call: Call

    def tensors(self) -> list[Tensor]:
        """The tensors that it is given."""
        given = (*self.call.args, *self.call.keywords.values())
        return [one for one in given if isinstance(one, Tensor)]
