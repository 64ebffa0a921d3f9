"""Reading an in-place write: how it is written, on what, and what would not write in place."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

import libcst as cst

from autograd_lint.findings import Edit
from autograd_lint.immutable import immutable
from autograd_lint.places import Place
from autograd_lint.rules.reading.edits import (
    Edits,
    after,
    argument_of,
    before,
    drop_argument,
)

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


@immutable
class Write:
    """An in-place write as it is written.

    `target` is the code of what is written (`base` of what it is a part of), `place` what to
    underline; `instead` is code that computes the same without writing in place, None where no such
    code follows from the construct alone, and `edits` are those that lead to it. `alone`: the write
    is a statement of its own, whose value nobody takes.
    """

    form: Form
    place: Place
    target: str | None = None
    base: str | None = None
    instead: str | None = None
    edits: Edits = ()
    alone: bool = True


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
    base, form = None, Form.AUGMENTED
    if isinstance(statement.target, cst.Subscript):
        base, form = chunk.code(statement.target.value), Form.AUGMENTED_ITEM
    edits = _spelled_out(chunk, statement, target, operator)
    return Write(form, place, target, base, instead, edits)


def _spelled_out(chunk: Chunk, statement: cst.AugAssign, target: str, operator: str) -> Edits:
    """The edits of `x += y` to `x = x + y`, which leave the operand as it is written."""
    goal, value = chunk.place_of(statement.target), statement.value
    line = chunk.source.lines[goal.end_row - 1]
    sign = re.compile(rf"\s*{re.escape(operator)}=[ \t]*").match(line, goal.end_column - 1)
    if sign is None:
        return ()
    at = Place(goal.filename, goal.end_row, goal.end_column, goal.end_row, sign.end() + 1)
    opening = f" = {target} {operator} "
    if _operand(chunk, operator, value) == chunk.code(value):
        return (Edit(opening, at),)
    return Edit(opening + "(", at), after(chunk.place_of(value), ")")


def _operand(chunk: Chunk, operator: str, value: cst.BaseExpression) -> str:
    """The code of a right operand, in parentheses where it needs them."""
    code = chunk.code(value)
    is_product = isinstance(value, cst.BinaryOperation) and isinstance(value.operator, _PRODUCTS)
    binds = isinstance(value, _ATOMS) or (is_product and operator in ("+", "-"))
    return code if value.lpar or binds else f"({code})"


def _call(chunk: Chunk, call: cst.Call, tensor: str | None, operator: str) -> Write:
    place, alone = chunk.place_of(call), _is_alone(chunk, call)
    for form, keyword in ((Form.OUT, "out"), (Form.FLAG, "inplace")):
        argument = argument_of(call, keyword)
        if argument is not None:
            written = chunk.code(argument.value) if form is Form.OUT else tensor
            edits = drop_argument(chunk, call, argument)
            return Write(form, place, written, edits=_taken(edits, place, written, alone))
    name = called(call)
    # A function of the project may end in an underscore too, but is not the operator that writes.
    if not name.endswith("_") or name != operator.rpartition(".")[2]:
        return Write(Form.CALL, place, tensor, alone=alone)
    if isinstance(call.func, cst.Attribute) and not _takes(chunk, call, tensor):
        return _method(chunk, call, call.func, alone)
    edits = () if name in _ONLY_IN_PLACE else _without_underscore(chunk, call)
    return Write(Form.FUNCTION, place, tensor, edits=_taken(edits, place, tensor, alone))


def _is_alone(chunk: Chunk, call: cst.Call) -> bool:
    statement = chunk.statement_at(chunk.place_of(call))
    return isinstance(statement, cst.Expr) and statement.value is call


def _taken(edits: Edits, place: Place, target: str | None, alone: bool) -> Edits:
    """The edits, with the result assigned to the target where nobody took it."""
    if not alone or not edits:
        return edits
    is_name = target is not None and all(part.isidentifier() for part in target.split("."))
    return (before(place, f"{target} = "), *edits) if is_name else ()


def _without_underscore(chunk: Chunk, call: cst.Call) -> Edits:
    name = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    at = chunk.place_of(name)
    last = Place(at.filename, at.row, at.end_column - 1, at.row, at.end_column)
    return (Edit("", last),)


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


def _method(chunk: Chunk, call: cst.Call, func: cst.Attribute, alone: bool) -> Write:
    receiver, place, method = chunk.code(func.value), chunk.place_of(call), func.attr.value
    owner = func.value
    made = _anew(chunk, call, receiver, method)
    if made is None:
        return Write(Form.METHOD, place, receiver, alone=alone)
    edits: Edits = _made_by_torch(chunk, made, place)
    if method not in _ONLY_IN_PLACE:
        outer = _chain(chunk, call)
        owner, alone = cst.ensure_type(outer.func, cst.Attribute).value, _is_alone(chunk, outer)
        edits = _without_underscore(chunk, outer)
        # `x.add_(1).mul_(2)` writes to `x` twice.
        while isinstance(owner, cst.Call) and isinstance(owner.func, cst.Attribute):
            if not called(owner).endswith("_"):
                break
            edits = (*edits, *_without_underscore(chunk, owner))
            owner = owner.func.value
    named = isinstance(owner, (cst.Name, cst.Attribute))
    edits = _taken(edits, place, chunk.code(owner) if named else None, alone)
    if alone and isinstance(func.value, (cst.Name, cst.Attribute)):
        made = f"{receiver} = {made}"
    return Write(Form.METHOD, place, receiver, None, made, edits, alone)


def _chain(chunk: Chunk, call: cst.Call) -> cst.Call:
    """The last call of the chain of in-place methods, a statement of its own, that `call` is in."""
    statement = chunk.statement_at(chunk.place_of(call))
    last = statement.value if isinstance(statement, cst.Expr) else None
    found: cst.CSTNode | None = last
    while isinstance(found, cst.Call) and isinstance(found.func, cst.Attribute):
        if found is call and isinstance(last, cst.Call):
            return last
        if not called(found).endswith("_") or called(found) in _ONLY_IN_PLACE:
            break
        found = found.func.value
    return call


def _made_by_torch(chunk: Chunk, made: str, place: Place) -> Edits:
    """The edit to an expression that may need torch by the name that the file has for it."""
    if not made.startswith("torch."):
        return (Edit(made, place),)
    name = chunk.lines.torch
    return (Edit(name + made.removeprefix("torch"), place),) if name else ()


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
