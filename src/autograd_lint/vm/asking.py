"""What a program asks of an unknown by comparing it, and what that tells of it."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

from autograd_lint.vm.alternatives import among, constants_of
from autograd_lint.vm.bounds import implied
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.string_facts import lacking
from autograd_lint.vm.values import DATA, DEFAULT, PERIODIC, Unknown, Value, constant

COMPARE: dict[type[ast.cmpop], tuple[str, Callable[..., Value]]] = {
    ast.Eq: ("eq", operator.eq),
    ast.NotEq: ("ne", operator.ne),
    ast.Lt: ("lt", operator.lt),
    ast.LtE: ("le", operator.le),
    ast.Gt: ("gt", operator.gt),
    ast.GtE: ("ge", operator.ge),
}
MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}  # with the sides exchanged
_SIZE = re.compile(r"\.(?:shape|size\([^()]*\))(?:\[[^\[\]]*\])?$")


class _Same:
    """A value in the key of an answer, which nothing else is as long as the answer is known."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def ask_of(interp: Interpreter, name: str, left: Value, right: Value, node: ast.AST) -> Value:
    """The memorized outcome of asking an unknown something, or what follows from other answers."""
    constants = constants_of(right) if name == "in" and isinstance(left, Unknown) else None
    if not isinstance(left, Unknown):
        left, right, name = right, left, MIRRORED.get(name, name)
    if not isinstance(left, Unknown):
        return Unknown(interp.text(node), hint="bool", weight=DATA)
    key = (name, constants or _mark(right))
    if name == "eq" and constant(right):
        constants = frozenset({right})
    one_of = among(interp, left, constants, key) if constants else None
    if one_of is not None:
        return one_of
    if name == "eq" and isinstance(right, str) and right in lacking(left):
        return False
    known = implied(interp, left, name, right)
    if known is not None:
        return known
    given = left.put(key)
    if given is not None:
        return given
    answer = left.derived(key, interp.text(node), hint="bool")
    answer.weight = DATA
    if left.hint == "shape" and name in MIRRORED:
        _learn_of_size(name, right, answer)
    if DEFAULT in left.attributes and (constants or constant(right)):
        default = left.attributes[DEFAULT]
        answer.usual = default in constants if constants else _by_default(name, default, right)
        answer.attributes |= {key: True for key in (PERIODIC,) if key in left.attributes}
    elif name == "eq":
        _learn(left, right, answer)
    return answer


def _mark(value: Value) -> object:
    """What stands for a value in the key of an answer."""
    return value if constant(value) else getattr(value, "path", _Same(value))


def _learn_of_size(name: str, other: Value, answer: Unknown) -> None:
    """What has elements has a size above zero; other sizes are not put in order: it is a storage
    whose size is compared so."""
    if (name, other) in (("gt", 0), ("ge", 1)):
        answer.usual = True
    elif (name, other) not in (("le", 0), ("lt", 1)):
        answer.usual, answer.seldom = False, True


def _learn(one: Unknown, other: Value, answer: Unknown) -> None:
    """What tells of an unknown that it is asked to equal a whole number.

    Parameters and what is computed with them hardly ever do: labels, tokens, codes and counts do,
    and these are data. A size of one that is told apart (one token that is decoded, a single
    sample) is the exception.
    """
    if type(other) is not int:
        return
    if other == 1 and _SIZE.search(one.origin):
        answer.usual, answer.seldom = False, True
    elif other != 0 and one.tensor is None:
        one.weight = DATA


def _by_default(name: str, default: Value, other: Value) -> bool | None:
    """The outcome of a comparison for what an unknown is by default; None where it has none."""
    compute = next((compute for known, compute in COMPARE.values() if known == name), None)
    try:
        return compute and bool(compute(default, other))
    except TypeError:
        return None
