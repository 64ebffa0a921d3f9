"""Python's comparisons: of numbers, containers, tensors and unknowns."""

from __future__ import annotations

import ast
from collections.abc import Callable

from autograd_lint.engine.tensor import Tensor
from autograd_lint.project.code import length_of
from autograd_lint.vm.arithmetic import annotated, materialized
from autograd_lint.vm.asking import COMPARE, MIRRORED, ask_of
from autograd_lint.vm.instances import call_method, has_method, is_module
from autograd_lint.vm.known_elements import is_parameter
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import content_of, is_member, lacks, plain_value
from autograd_lint.vm.plain import Plain, plain
from autograd_lint.vm.registries import complete
from autograd_lint.vm.scope import Missing
from autograd_lint.vm.string_facts import lacking
from autograd_lint.vm.truth import answer, known_truth, negated
from autograd_lint.vm.uncalled import result_of
from autograd_lint.vm.values import (
    DATA,
    DEFAULT,
    OBJECT,
    Class,
    External,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
    constant,
    is_key,
)

# Whether what has a few elements is usually on this side of a limit: lists have room for more.
_LIMITING = {"lt": True, "le": True, "gt": False, "ge": False, "eq": False}
_FEW = 4


def compare(
    interp: Interpreter, kind: ast.cmpop, left: Value, right: Value, node: ast.AST
) -> Value:
    """One comparison; an unknown outcome is the same unknown whenever it is asked again."""
    if isinstance(kind, (ast.Is, ast.IsNot)):
        return negated(_same(interp, left, right, node), isinstance(kind, ast.IsNot))
    if isinstance(kind, (ast.In, ast.NotIn)):
        return negated(_contains(interp, right, left, node), isinstance(kind, ast.NotIn))
    if isinstance(kind, ast.NotEq) and not _tensorial(left, right):
        return negated(compare(interp, ast.Eq(), left, right, node))
    name, compute = COMPARE[type(kind)]
    left, right = _compared(interp, left), _compared(interp, right)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return _tensor_compare(interp, name, left, right, node)
    if constant(left) and constant(right):
        try:
            return compute(left, right)
        except Exception:
            return Unknown(interp.text(node))
    if isinstance(left, Items) and isinstance(right, Items):
        found = _of_containers(compute, left, right)
        if found is not None:
            return found
    if isinstance(left, External) and isinstance(right, External) and name == "eq":
        return left.path == right.path
    for one, other, asked in ((left, right, name), (right, left, MIRRORED.get(name, name))):
        if isinstance(one, Instance) and has_method(one, f"__{asked}__"):
            answer = call_method(interp, one, f"__{asked}__", [other], node)
            if not (isinstance(answer, External) and answer.path.endswith("NotImplemented")):
                return answer
    if name == "eq" and _are_themselves(left, right):
        return left is right
    answer = ask_of(interp, name, left, right, node)
    if isinstance(answer, Unknown) and name in _LIMITING and _counts_few(left, right, node):
        answer.usual = _LIMITING[name]
    return answer


def _counts_few(left: Value, right: Value, node: ast.AST) -> bool:
    """Whether the length of a list of a few elements is compared with a limit that is not known."""
    counted = node.left if isinstance(node, ast.Compare) else None
    return (
        length_of(counted) is not None
        and isinstance(left, int)
        and left <= _FEW
        and isinstance(right, Unknown)
    )


def _are_themselves(left: Value, right: Value) -> bool:
    """Whether two values are equal if they are the same object: modules, and a member of an
    enumeration with whatever is known, and classes of the program."""
    if is_module(left) and is_module(right):
        return True
    if isinstance(left, Class) and isinstance(right, Class):
        return left.metaclass() is None is right.metaclass()
    return (
        any(map(is_member, (left, right)))
        and not isinstance(left, Unknown)
        and not isinstance(right, Unknown)
    )


def _of_containers(compute: Callable[[Plain, Plain], Value], left: Items, right: Items) -> Value:
    """What a comparison of lists, tuples or sets comes to that are known altogether; else None."""
    one, other = plain(left), plain(right)
    if isinstance(one, Missing) or isinstance(other, Missing):
        return None
    try:
        return compute(one, other)
    except TypeError:
        return None


def _compared(interp: Interpreter, value: Value) -> Value:
    """The tensor behind an unknown: what the program says to be one is one. A member of an
    enumeration may be a text or number as well."""
    return annotated(interp, result_of(interp, plain_value(value)))


def _tensorial(*values: Value) -> bool:
    return any(isinstance(materialized(value), Tensor) for value in values)


def _tensor_compare(
    interp: Interpreter, name: str, left: Value, right: Value, node: ast.AST
) -> Value:
    if not isinstance(left, Tensor):
        left, right, name = right, left, MIRRORED.get(name, name)
    if right is None or isinstance(right, (str, External)):
        return False
    return interp.models.operators.operate(interp, f"__{name}__", [left, right], node)


def negate(interp: Interpreter, value: Value, node: ast.AST) -> Value:
    """`not value`."""
    value = answer(interp, value, node)
    known = known_truth(value)
    if known is not None:
        return not known
    if isinstance(value, Unknown):
        return negated(value)
    asked = Unknown(interp.text(node), hint="bool")
    asked.tensor = value if isinstance(value, Tensor) else None
    return negated(asked)


def _same(interp: Interpreter, left: Value, right: Value, node: ast.AST) -> Value:
    if left is right:
        return True
    for one, other in ((left, right), (right, left)):
        if other is None and isinstance(one, Unknown):
            return _is_none(interp, one, node)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return ask_of(interp, "is", left, right, node)
    if isinstance(left, External) and isinstance(right, External):
        return left.path == right.path
    if constant(left) and constant(right):
        return type(left) is type(right) and left == right
    return False


def _is_none(interp: Interpreter, value: Unknown, node: ast.AST) -> Value:
    made = OBJECT in value.attributes
    if made or value.hint or value.tensor is not None or interp.choices.found_true(value):
        return False
    asked = value.derived("is none", interp.text(node))
    if DEFAULT in value.attributes:
        asked.usual = value.attributes[DEFAULT] is None
    return asked


def is_given(interp: Interpreter, value: Value) -> bool:
    """Whether the path has already taken an unknown not to be None."""
    asked = value.attributes.get("is none") if isinstance(value, Unknown) else None
    return asked in interp.choices.truths and not interp.choices.found_true(asked)


def _contains(interp: Interpreter, container: Value, item: Value, node: ast.AST) -> Value:
    if isinstance(container, str) and isinstance(item, str):
        return item in container
    if isinstance(container, Instance) and has_method(container, "__contains__"):
        return call_method(interp, container, "__contains__", [item], node)
    container = content_of(container)
    if isinstance(container, Mapping) and is_key(item):
        complete(interp, container, item)
        if item in container.entries:
            return True
        return False if lacks(container, item) else Unknown(interp.text(node), hint="bool")
    if isinstance(container, Items) and _is_told_apart(item, container):
        if any(same_value(item, element) for element in container.items):
            return True
        if container.closed and not any(map(_may_equal, container.items)):
            return False
    known = container.attributes if isinstance(container, Unknown) else {}
    if isinstance(item, str) and item in lacking(container):
        return False
    if isinstance(item, str) and ("item", item) in known:
        return True  # it was read or set before
    if isinstance(item, Unknown) and item.tensor is None and _is_written_out(node):
        item.weight, item.source = DATA, None  # a tensor is hashed as an object: it is in none
    asked = ask_of(interp, "in", item, container, node)
    usual = interp.models.operators.usually_in(container)
    if isinstance(asked, Unknown) and usual is not None:
        asked.usual = usual
    return asked


def _is_written_out(node: ast.AST) -> bool:
    """Whether it is asked what is in a set that stands there with its elements."""
    return isinstance(node, ast.Compare) and isinstance(node.comparators[-1], ast.Set)


def _is_told_apart(item: Value, container: Items) -> bool:
    """Whether a value is known to be in a container, or not: a parameter in a set of such."""
    if isinstance(item, Tensor):
        return container.kind == "set" and is_parameter(item)
    return not isinstance(item, Unknown)


def _may_equal(element: Value) -> bool:
    """Whether an element may be equal to something although that is not known of it."""
    if isinstance(element, Items):
        return isinstance(plain(element), Missing)
    return isinstance(element, Unknown)


def same_value(left: Value, right: Value) -> bool:
    """Whether two values are equal for sure."""
    if left is right:
        return True
    if isinstance(left, External) and isinstance(right, External):
        return left.path == right.path
    left, right = plain_value(left), plain_value(right)
    if isinstance(left, Items) and isinstance(right, Items):
        one, other = plain(left), plain(right)
        return not isinstance(one, Missing) and type(one) is type(other) and one == other
    return constant(left) and constant(right) and bool(left == right)
