"""What the machine asks of libraries: what Python's operations do to values that are not its own.

Where an operation meets a tensor, a module of torch or something of a package that is not read, the
machine calls one of the functions below. Whoever builds the `World` hands them in; which function
that is stands in `libraries/models.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.values import (
    Bound,
    Class,
    Function,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from autograd_lint.vm.calls import Call
    from autograd_lint.vm.machine import Interpreter


@dataclass(frozen=True)
class Calls:
    """Calls of what is not a function of the program.

    `external` calls what a dotted name stands for, `member` a method of a value that has no class
    in the program, `unknown` what nothing is known of. `unwritten` is a method that a class leaves
    to the classes derived from it, with its object. `not_called` is told of a method that a
    statement only names, `wanted` of one that is computed with; it gives what the call would.
    """

    external: Callable[[Interpreter, str, Call], Value]
    member: Callable[[Interpreter, Bound, Call], Value]
    unknown: Callable[[Interpreter, Unknown, Call], Value]
    unwritten: Callable[[Interpreter, Function, Value, Call], Value]
    not_called: Callable[[Interpreter, ast.Attribute, Value], None]
    wanted: Callable[[Interpreter, Bound], Value]


class Operate(Protocol):
    """Runs a special method (`__add__`, `__rsub__`, `__imul__`) of which an operand is a tensor."""

    def __call__(
        self,
        interp: Interpreter,
        method: str,
        operands: list[Value],
        node: ast.AST,
        label: str | None = None,
    ) -> Value:
        """The result; `label` is what the program calls what is written."""


@dataclass(frozen=True)
class Operators:
    """Operators and conditions where an operand is a tensor.

    `as_tensor` is the tensor that a value is once it is used as one. `number` is `int(x)`,
    `float(x)` and the like, with the hint for what comes of it; `condition` is told of a tensor
    that decides which way the program goes, `usually_in` says whether something is in a container
    as a rule.
    """

    operate: Operate
    as_tensor: Callable[[Interpreter, Value], Tensor | None]
    number: Callable[[Interpreter, Value, str, str, Call], Value]
    condition: Callable[[Interpreter, Tensor, ast.AST], None]
    usually_in: Callable[[Value], bool | None]


Batches = tuple[Iterator[Value], int | None]
"""What a loop over an object gets, and how often where that is known."""


@dataclass(frozen=True)
class Elements:
    """Elements of tensors, of what nothing is known of, and of objects with outside bases.

    `rows` are so many rows of a tensor, `item` is `tensor[index]`, `store` is
    `tensor[index] = value` with what the program calls the tensor. `unknown_item` is an element of
    what nothing is known of, `given` what the `__getitem__` of an object has returned, `append` a
    store into one under a key that is not known, `kept` what an object has of a value that is put
    into it, `batches` what a loop over one gets, `count` how many elements an object of an outside
    class has, None where it is not known.
    """

    rows: Callable[[Interpreter, Tensor, int, ast.AST], Value]
    item: Callable[[Interpreter, Tensor, Value, ast.AST], Value]
    store: Callable[[Interpreter, Tensor, Value, Value, ast.AST, str], None]
    unknown_item: Callable[[Interpreter, Value, Value, ast.AST], Value]
    given: Callable[[Instance, Value], Value]
    append: Callable[[Instance, Value], None]
    kept: Callable[[Interpreter, Instance, Value, ast.AST], Value]
    batches: Callable[[Interpreter, Instance, ast.AST], Batches | None]
    count: Callable[[Instance], int | None]


@dataclass(frozen=True)
class Attributes:
    """Attributes that no code of the program gives.

    `external` is a name of an outside package by its dotted name, `one_of_many` the name of one of
    those in a package that are alike to autograd (`Conv1d`, `Conv2d`), by the parts around what is
    not known of the name. `inherited` is what the outside bases of an object give it, None where
    they give none, `unknown` an attribute of what nothing is known of, `any_part` what a module has
    under a name that is not known. `tensor_has` says that a tensor has an attribute of that name,
    `lacks` that a value has none of it, `every_module_has` that all modules have it.
    `absent_gradient` is what takes the place of a `.grad` that stays None.
    """

    external: Callable[[Interpreter, str], Value]
    tensor: Callable[[Interpreter, Tensor, str, ast.AST], Value]
    inherited: Callable[[Interpreter, Instance, str], Value | None]
    unknown: Callable[[Interpreter, Unknown, str, ast.AST], Value]
    any_part: Callable[[Interpreter, Instance, ast.AST], Value]
    set_of_tensor: Callable[[Interpreter, Tensor, str, Value, ast.AST], None]
    set_of_module: Callable[[Interpreter, Instance, str, Value, ast.AST], None]
    set_of_unknown: Callable[[Interpreter, Unknown, str, Value, ast.AST], None]
    tensor_has: Callable[[Interpreter, Tensor, str], bool]
    lacks: Callable[[Value, str], bool]
    every_module_has: Callable[[str], bool]
    one_of_many: Callable[[Interpreter, str, Sequence[str]], str | None]
    absent_gradient: Callable[[Interpreter, ast.AST | None], Tensor | None]


@dataclass(frozen=True)
class Objects:
    """Objects of the program's classes that derive from outside ones.

    `make` makes one where that is not Python's way, None where it is; `made` is told of a module
    that was made. `initialize` is the `__init__` of an outside base, `forward` a call that such a
    base carries out, `hooked` one around which hooks run. `updated` is told of a dictionary that is
    updated with what is not known.
    """

    make: Callable[[Interpreter, Class, Call], Value | None]
    made: Callable[[Interpreter, Instance], None]
    initialize: Callable[[Interpreter, Instance, Call], None]
    forward: Callable[[Interpreter, Instance, Call], Value]
    hooked: Callable[[Interpreter, Instance, Call, Callable[..., Value]], Value]
    updated: Callable[[Interpreter, Mapping, str], None]


@dataclass(frozen=True)
class Refusals:
    """What Python refuses, for libraries that tell of it; the answer is whether the run goes on
    because they have told of it, or because they doubt that Python refuses it.

    An operand; an attribute that a value does not have, and one of a `.grad` that is None; an
    element of None, one beyond the end, more or fewer names than elements, a name that is bound
    nowhere.
    """

    operand: Callable[[Interpreter, Value, Value, ast.AST], bool]
    attribute: Callable[[Interpreter, Value, str, ast.AST], bool]
    absent: Callable[[Interpreter, str, ast.AST], bool]
    part: Callable[[Interpreter, ast.AST], bool]
    position: Callable[[Interpreter, Items, ast.AST], bool]
    count: Callable[[Interpreter, Items, int, ast.AST], None]
    name: Callable[[Interpreter, str], None]


@dataclass(frozen=True)
class Models:
    """All that the machine asks of libraries."""

    calls: Calls
    operators: Operators
    elements: Elements
    attributes: Attributes
    objects: Objects
    refusals: Refusals
