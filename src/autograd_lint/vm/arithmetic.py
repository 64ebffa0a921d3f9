"""Python's operators on numbers, containers, tensors and unknowns."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from autograd_lint.engine.graph_breaks import GraphBreaks
from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.arrays import behind
from autograd_lint.vm.instances import call_method, has_method, special_method
from autograd_lint.vm.integers import Counter, Offset
from autograd_lint.vm.known_elements import of_sets
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import plain_value
from autograd_lint.vm.raising import ends
from autograd_lint.vm.string_facts import LONGEST_OUTLINE, outlined, piece, put_together, usually
from autograd_lint.vm.terms import is_term, remember_operands
from autograd_lint.vm.texts import LONGEST_TEXT, asks_for_width
from autograd_lint.vm.truth import negated
from autograd_lint.vm.uncalled import result_of
from autograd_lint.vm.values import (
    ANNOTATED,
    DATA,
    DEFAULT,
    NOT_TENSORS,
    PERIODIC,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
    constant,
)
from autograd_lint.vm.waiting import period_of

BINARY: dict[type[ast.operator], tuple[str, Callable[..., Value]]] = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("sub", operator.sub),
    ast.Mult: ("mul", operator.mul),
    ast.Div: ("truediv", operator.truediv),
    ast.FloorDiv: ("floordiv", operator.floordiv),
    ast.Mod: ("mod", operator.mod),
    ast.Pow: ("pow", operator.pow),
    ast.MatMult: ("matmul", operator.matmul),
    ast.BitAnd: ("and", operator.and_),
    ast.BitOr: ("or", operator.or_),
    ast.BitXor: ("xor", operator.xor),
    ast.LShift: ("lshift", operator.lshift),
    ast.RShift: ("rshift", operator.rshift),
}
BITWISE = {"and", "or", "xor", "lshift", "rshift"}
WHOLE = {"add", "sub", "mul", "floordiv", "mod"}  # make whole numbers of whole numbers
UNARY: dict[type[ast.unaryop], tuple[str, Callable[..., Value]]] = {
    ast.USub: ("neg", operator.neg),
    ast.UAdd: ("pos", operator.pos),
    ast.Invert: ("invert", operator.invert),
}
LARGEST_NUMBER = 10**12
LONGEST_LIST = 1_000  # elements that are told apart


def binary(
    interp: Interpreter, kind: ast.operator, left: Value, right: Value, node: ast.AST
) -> Value:
    """`left kind right`."""
    name, compute = BINARY[type(kind)]
    if isinstance(left, Unknown) and isinstance(right, Items) and _joins_list(name, left, right):
        return Items(right.kind, list(right.items), rest=Unknown(f"an element of {left.origin}"))
    left, right = (_computed(interp, plain_value(one)) for one in (left, right))
    if left is None or right is None:
        left, right = _with_gradients(interp, left, right, node)
    told = _is_refused(interp, left, right, node)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return _tensor_binary(interp, name, left, right, node)
    if isinstance(left, Counter) or isinstance(right, Counter):
        return _counting(interp, name, compute, left, right, node)
    if constant(left) and constant(right) and not told:
        return _constants(interp, name, compute, left, right, node)
    if name == "mul" and isinstance(right, Items) and _may_count(left):
        return _items(interp, name, right, left, node)  # so many times a list
    if isinstance(left, Items):
        return _items(interp, name, left, right, node)
    if isinstance(left, Mapping) and isinstance(right, Mapping) and name == "or":
        return Mapping({**left.entries, **right.entries}, left.rest or right.rest)
    for one, other, method in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
        if isinstance(one, Instance) and special_method(interp, one, method):
            return call_method(interp, one, method, [other], node)
    flag = _of_flags(name, left, right)
    if flag is not None:
        return flag
    if name in ("add", "mod") and (isinstance(left, str) or isinstance(right, str)):
        return _text(interp, name, left, right, node)
    return _of_unknown(interp, name, left, right, node)


def _is_refused(interp: Interpreter, left: Value, right: Value, node: ast.AST) -> bool:
    """Whether torch refuses None or a container as an operand; that is told."""
    asked = left is None or right is None or isinstance(right, Items)
    return asked and interp.models.refusals.operand(interp, left, right, node)


def _of_unknown(interp: Interpreter, name: str, left: Value, right: Value, node: ast.AST) -> Value:
    """The result of an operator of whose operands one is not known."""
    # Bits are those of integers, which never require grad.
    weight = DATA if name in BITWISE else _weight(interp, left, right)
    result = Unknown(interp.text(node), hint=_hint(name, left, right), weight=weight)
    result.graph_breaks = _behind(left, right)
    result.basis = _basis(left, right)
    remember_operands(result, name, [left, right])
    if name == "mod":
        _is_periodic(result, left, right)
    return result


def _is_periodic(result: Unknown, left: Value, right: Value) -> None:
    """The remainder of a counter is what it is for the usual period, of which nobody knows."""
    period = period_of(right)
    if period and isinstance(left, int):
        remainder = int(left) % period
        result.attributes |= {DEFAULT: remainder, PERIODIC: True}
        result.usual = bool(remainder)


def _text(interp: Interpreter, name: str, left: Value, right: Value, node: ast.AST) -> Value:
    """`"layer" + name` or `"layer%s" % name`: its outline where a part is not known."""
    origin = interp.text(node)
    if name == "add":
        return usually(
            outlined(piece(left) + piece(right), origin), (left, right), _one_after_another
        )
    if not isinstance(left, str) or len(left) > LONGEST_OUTLINE:
        return Unknown(origin, hint="string")
    pieces = left.replace("%d", "%s").split("%s")
    given = right.items if isinstance(right, Items) and right.kind == "tuple" else [right]
    if len(pieces) != len(given) + 1 or any("%" in one for one in pieces):
        return Unknown(origin, hint="string")
    filled = (piece(one) + after for one, after in zip(given, pieces[1:], strict=True))
    text = put_together(pieces[0] + "".join(filled), origin)
    return usually(text, given, lambda *usual: "%s".join(pieces) % usual)


def _one_after_another(left: object, right: object) -> str:
    return f"{left}{right}"


def _with_gradients(
    interp: Interpreter, left: Value, right: Value, node: ast.AST
) -> tuple[Value, Value]:
    """Both operands, with a gradient for a `.grad` that was told to stay None."""
    if isinstance(node, ast.BinOp):
        left = interp.models.attributes.absent_gradient(interp, node.left) if left is None else left
        right = (
            interp.models.attributes.absent_gradient(interp, node.right) if right is None else right
        )
    elif isinstance(node, ast.AugAssign) and right is None:
        right = interp.models.attributes.absent_gradient(interp, node.value)
    return left, right


def _behind(left: Value, right: Value) -> GraphBreaks:
    """The graph breaks behind what is computed from two values.

    That grad mode was off when one of them was computed says nothing of the result where the other
    one may have a graph.
    """
    found = behind((left, right))
    unknown = [value for value in (left, right) if isinstance(value, Unknown)]
    if all(value.graph_breaks or value.hint in NOT_TENSORS for value in unknown):
        return found
    return tuple(graph_break for graph_break in found if graph_break.switch is None)


def _of_flags(name: str, left: Value, right: Value) -> Value:
    """What `&`, `|` and `^` make of an unknown flag and a known one; None for everything else."""
    one, other = (left, right) if isinstance(left, Unknown) else (right, left)
    if not (isinstance(one, Unknown) and one.hint == "bool" and isinstance(other, bool)):
        return None
    if name == "xor":
        return negated(one, other)
    if name in ("and", "or"):
        return one if other is (name == "and") else other
    return None


def _basis(left: Value, right: Value) -> Unknown | None:
    """What a result is computed from with a number: it requires grad where that does."""
    one, other = (left, right) if isinstance(left, Unknown) else (right, left)
    return one if isinstance(one, Unknown) and isinstance(other, (int, float)) else None


def _weight(interp: Interpreter, *values: Value) -> int:
    """What is computed requires grad where one operand does: it is no more daring than that."""
    unknown = [value for value in values if isinstance(value, Unknown)]
    operands = [value for value in unknown if value.hint not in NOT_TENSORS]
    weights = [DATA if _needs_no_grad(interp, one) else one.weight for one in operands]
    return max(1, min(weights, default=1))


def _needs_no_grad(interp: Interpreter, value: Unknown) -> bool:
    """Whether the path has taken its `requires_grad` not to be set."""
    asked = value.attributes.get(("attribute", "requires_grad"))
    return asked in interp.choices.truths and not interp.choices.found_true(asked)


def materialized(value: Value) -> Value:
    """The tensor behind an unknown that has turned out to be one."""
    if isinstance(value, Unknown) and value.tensor is not None:
        return value.tensor
    return value


def annotated(interp: Interpreter, value: Value) -> Value:
    """The tensor behind an unknown that has turned out to be one, or is annotated as one."""
    value = materialized(value)
    if isinstance(value, Unknown) and ANNOTATED in value.attributes:
        return interp.models.operators.as_tensor(interp, value) or value
    return value


def _computed(interp: Interpreter, value: Value) -> Value:
    """The tensor behind an unknown: what comes from a graph and is computed with is one, what the
    program says to be one, and the terms of losses."""
    if isinstance(value, Unknown) and (
        value.source is not None or ANNOTATED in value.attributes or is_term(value)
    ):
        return interp.models.operators.as_tensor(interp, value) or value
    return materialized(result_of(interp, value))


def _hint(name: str, left: Value, right: Value) -> str:
    hints = {_hint_of(left), _hint_of(right)}
    if "array" in hints and hints <= {"array", "int", "number"}:
        return "array"
    if hints == {"int"} and name in WHOLE:
        return "int"
    return "number" if hints <= {"int", "number"} else ""


def _hint_of(value: Value) -> str:
    if isinstance(value, Unknown):
        return value.hint
    if not constant(value):
        return ""
    return "int" if isinstance(value, int) else "number"


def _tensor_binary(
    interp: Interpreter, name: str, left: Value, right: Value, node: ast.AST
) -> Value:
    if name in BITWISE:
        for operand in (left, right):
            _settle_bits(operand)
    if not isinstance(left, Tensor):
        if constant(left) or isinstance(left, Unknown):
            return interp.models.operators.operate(interp, f"__r{name}__", [right, left], node)
        return Unknown(interp.text(node))
    return interp.models.operators.operate(interp, f"__{name}__", [left, right], node)


def _settle_bits(operand: Value) -> None:
    """A tensor of unknown origin that has bits is one of integers or booleans."""
    if isinstance(operand, Tensor) and operand.node is not None and operand.node.opaque:
        operand.node, operand.requires = None, None


def _counting(
    interp: Interpreter,
    name: str,
    compute: Callable[..., Value],
    left: Value,
    right: Value,
    node: ast.AST,
) -> Value:
    # The counter of a long loop begins without a remainder, and takes every one sooner or later.
    if name == "mod" and left == 0:
        return 0
    short = name == "mod" and isinstance(right, int) and period_of(right)
    if short and interp.record.waiting is not None and constant(left):
        return _constants(interp, name, compute, left, right, node)
    if name in ("add", "sub") and isinstance(left, int) and isinstance(right, int):
        number = left + right if name == "add" else left - right
        if isinstance(left, Offset) or isinstance(right, Offset):
            return Offset(number)
        return Counter(number)
    result = Unknown(interp.text(node), hint=_hint(name, left, right) or "number")
    if short or (name == "mod" and isinstance(right, Unknown)):
        _is_periodic(result, left, Unknown("") if short else right)
    return result


def _constants(
    interp: Interpreter,
    name: str,
    compute: Callable[..., Value],
    left: Value,
    right: Value,
    node: ast.AST,
) -> Value:
    if not _small(name, left, right):
        return Unknown(interp.text(node), hint="number")
    try:
        return compute(left, right)
    except Exception as error:
        ends(interp, type(error).__name__)
        return Unknown(interp.text(node))


def _small(name: str, left: Value, right: Value) -> bool:
    """Whether a result is soon computed, and no larger than what is worth knowing."""
    texts = [one for one in (left, right) if isinstance(one, (str, bytes))]
    if texts and name == "mul":
        times = right if texts[0] is left else left
        return isinstance(times, int) and len(texts[0]) * times < LONGEST_TEXT
    if texts and name == "mod":
        return not asks_for_width(left)
    if texts and sum(map(len, texts)) > LONGEST_TEXT:
        return False
    numbers = [abs(v) for v in (left, right) if isinstance(v, (int, float))]
    if name in ("pow", "lshift"):
        return all(number <= 64 for number in numbers)
    return all(number <= LARGEST_NUMBER for number in numbers)


def _may_count(value: Value) -> bool:
    """Whether a value may be a whole number."""
    if isinstance(value, Unknown):
        return value.hint in ("", "int", "number") and value.tensor is None
    return isinstance(value, int)


def _joins_list(name: str, left: Unknown, right: Items) -> bool:
    """Whether an unknown value must be a list, for a list is added to it."""
    is_array = left.hint in NOT_TENSORS or left.tensor is not None
    return name == "add" and not is_array and _is_list(right)


def _is_list(value: Value) -> bool:
    return isinstance(value, Items) and value.kind == "list" and bool(value.items)


def _items(interp: Interpreter, name: str, left: Items, right: Value, node: ast.AST) -> Value:
    if name == "add":
        if isinstance(right, Items):
            return _joined(left, right)
        return Items(left.kind, list(left.items), rest=Unknown(interp.text(node)))
    known = of_sets(name, left, right)
    if known is not None:
        return known
    if name == "mul" and isinstance(right, int) and len(left.items) * right <= 64:
        return Items(left.kind, left.items * right, left.rest)
    first = left.items[0] if left.items else None
    rest = Unknown(interp.text(node)) if first is None else first  # a rest of None is none at all
    return Items(left.kind, list(left.items), rest)


def _joined(left: Items, right: Items) -> Items:
    """Two lists as one; of a very long one the rest stands for what comes behind."""
    items = [*left.items[:LONGEST_LIST], *right.items[:LONGEST_LIST]]
    rest = right.rest if left.closed else left.rest
    joined = Items(left.kind, items[:LONGEST_LIST], rest)
    joined.partial = left.partial or right.partial
    if len(items) > LONGEST_LIST and joined.closed:
        joined.rest = items[-1]
    return joined


def unary(interp: Interpreter, kind: ast.unaryop, value: Value, node: ast.AST) -> Value:
    """`-x`, `+x` and `~x`."""
    name, compute = UNARY[type(kind)]
    return of_one(interp, name, compute, value, node)


def of_one(
    interp: Interpreter, name: str, compute: Callable[..., Value], value: Value, node: ast.AST
) -> Value:
    """What an operation with one operand gives: `compute` is that of constants, and objects have
    a method of its name, with two underscores around it."""
    value = _computed(interp, value)
    if isinstance(value, Tensor):
        return interp.models.operators.operate(interp, f"__{name}__", [value], node)
    if constant(value):
        try:
            return compute(value)
        except Exception as error:
            ends(interp, type(error).__name__)
            return Unknown(interp.text(node))
    if isinstance(value, Instance) and has_method(value, f"__{name}__"):
        return call_method(interp, value, f"__{name}__", [], node)
    result = Unknown(interp.text(node), getattr(value, "hint", ""), _weight(interp, value))
    result.graph_breaks = _behind(value, value)
    return result
