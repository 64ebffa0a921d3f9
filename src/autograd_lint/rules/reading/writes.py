"""Reading an in-place write: how it is written, on what, and what would not write in place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import libcst as cst

from autograd_lint.places import Place

if TYPE_CHECKING:
    from autograd_lint.rules.reading.chunk import Chunk


class Form(Enum):
    """The ways to write in place that Python offers."""

    AUGMENTED = "augmented assignment"  # x += 1
    ITEM = "item assignment"  # x[0] = 1
    AUGMENTED_ITEM = "augmented item assignment"  # x[0] += 1
    METHOD = "method"  # x.add_(1)
    FUNCTION = "function"  # torch.relu_(x)
    FLAG = "inplace=True"  # F.relu(x, inplace=True)
    OUT = "out="  # torch.add(a, b, out=x)
    CALL = "call"  # anything that writes inside: a module, the project's own functions


# Methods that exist in place only, with what makes the same values anew (None: nothing does).
_ONLY_IN_PLACE: dict[str, str | None] = {
    "zero_": "torch.zeros_like({0})",
    "fill_": "torch.full_like({0}, {1})",
    "copy_": "{1}.clone()",
    "normal_": None,
    "uniform_": None,
    "random_": None,
    "exponential_": None,
    "geometric_": None,
    "cauchy_": None,
    "log_normal_": None,
    "fill_diagonal_": None,
    "set_": None,
    "resize_": None,
    "resize_as_": None,
    "requires_grad_": None,
    "share_memory_": None,
    "apply_": None,
    "map_": None,
}


# What needs no parentheses at the right of an operator, and of `+` and `-`.
_ATOMS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BaseNumber)
_PRODUCTS = (cst.Multiply, cst.Divide, cst.MatrixMultiply, cst.Power)


@dataclass(frozen=True, slots=True)
class Write:
    """An in-place write as it is written.

    `target` is the code of what is written (`base` of what it is a part of), `place` what to
    underline, `whole` the construct that `instead` would replace; `instead` is code that computes
    the same without writing in place, None where no such code follows from the construct alone.
    """

    form: Form
    place: Place
    target: str | None = None
    base: str | None = None
    instead: str | None = None
    whole: Place | None = None


def read_write(chunk: Chunk, place: Place, tensor: str | None, operator: str) -> Write | None:
    """How the code at `place` writes `tensor` by `operator`; None where no write was read there."""
    node, statement = chunk.node_at(place), chunk.statement_at(place)
    if isinstance(node, cst.Call):
        return _call(chunk, node, tensor, operator)
    if isinstance(statement, cst.AugAssign):
        return _augmented(chunk, statement)
    if isinstance(node, cst.Assign):
        targets = [goal.target for goal in node.targets]
        node = next((one for one in targets if isinstance(one, cst.Subscript)), node)
    return _item(chunk, node) if isinstance(node, cst.Subscript) else None


def _item(chunk: Chunk, target: cst.Subscript) -> Write:
    code, base = chunk.code(target), chunk.code(target.value)
    return Write(Form.ITEM, chunk.place_of(target), code, base=base)


def _augmented(chunk: Chunk, statement: cst.AugAssign) -> Write:
    target, place = chunk.code(statement.target), chunk.place_of(statement.target)
    operator = chunk.code(statement.operator).strip().removesuffix("=")
    instead = f"{target} = {target} {operator} {_operand(chunk, operator, statement.value)}"
    whole = chunk.place_of(statement)
    if isinstance(statement.target, cst.Subscript):
        base = chunk.code(statement.target.value)
        return Write(Form.AUGMENTED_ITEM, place, target, base, instead, whole)
    return Write(Form.AUGMENTED, place, target, None, instead, whole)


def _operand(chunk: Chunk, operator: str, value: cst.BaseExpression) -> str:
    """The code of a right operand, in parentheses where it needs them."""
    code = chunk.code(value)
    is_product = isinstance(value, cst.BinaryOperation) and isinstance(value.operator, _PRODUCTS)
    binds = isinstance(value, _ATOMS) or (is_product and operator in ("+", "-"))
    return code if value.lpar or binds else f"({code})"


def _call(chunk: Chunk, call: cst.Call, tensor: str | None, operator: str) -> Write:
    place = chunk.place_of(call)
    for argument in call.args:
        keyword = argument.keyword.value if argument.keyword else ""
        if keyword == "out":
            return Write(Form.OUT, place, chunk.code(argument.value))
        if keyword == "inplace":
            return Write(Form.FLAG, place, tensor)
    name = called(call)
    # A function of the project may end in an underscore too, but is not the operator that writes.
    if not name.endswith("_") or name != operator.rpartition(".")[2]:
        return Write(Form.CALL, place, tensor)
    if isinstance(call.func, cst.Attribute) and not _takes(chunk, call, tensor):
        return _method(chunk, call, call.func)
    return Write(Form.FUNCTION, place, tensor)


def called(call: cst.Call) -> str:
    """The last name of what is called: `add_` for `x.y.add_(1)`; empty where it has no name."""
    if isinstance(call.func, cst.Attribute):
        return call.func.attr.value
    return call.func.value if isinstance(call.func, cst.Name) else ""


def _takes(chunk: Chunk, call: cst.Call, tensor: str | None) -> bool:
    """Whether the first argument is the tensor at fault, so that the call is no method of it."""
    if tensor is None or not call.args:
        return False
    receiver = chunk.code(cst.ensure_type(call.func, cst.Attribute).value)
    return receiver != tensor and chunk.code(call.args[0].value) == tensor


def _method(chunk: Chunk, call: cst.Call, func: cst.Attribute) -> Write:
    receiver, place = chunk.code(func.value), chunk.place_of(call)
    made = _anew(chunk, call, receiver, func.attr.value)
    statement = chunk.statement_at(place)
    alone = isinstance(statement, cst.Expr) and statement.value is call
    if made and alone and isinstance(func.value, (cst.Name, cst.Attribute)):
        made = f"{receiver} = {made}"
    return Write(Form.METHOD, place, receiver, instead=made, whole=place)


def _anew(chunk: Chunk, call: cst.Call, receiver: str, method: str) -> str | None:
    """The expression that makes the method's result as a new tensor."""
    arguments = [_argument(chunk, argument) for argument in call.args]
    if method not in _ONLY_IN_PLACE:
        return f"{receiver}.{method.removesuffix('_')}({', '.join(arguments)})"
    pattern = _ONLY_IN_PLACE[method]
    if pattern is None or ("{1}" in pattern and len(arguments) != 1):
        return None
    return pattern.format(receiver, *arguments)


def _argument(chunk: Chunk, argument: cst.Arg) -> str:
    keyword = f"{argument.keyword.value}=" if argument.keyword else ""
    return f"{argument.star}{keyword}{chunk.code(argument.value)}"
