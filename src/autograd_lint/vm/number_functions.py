"""Python's built-in functions on numbers, and on what computes as numbers do."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.arithmetic import binary, materialized, of_one
from autograd_lint.vm.arrays import behind
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import all_numbers
from autograd_lint.vm.deciding import decide
from autograd_lint.vm.iterables import keys_of
from autograd_lint.vm.iteration import iterate
from autograd_lint.vm.known_elements import in_order
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Unknown, Value, constant

_MOST_DIGITS = 400  # a float has no more on either side; of a whole number all would be computed


def _absolute(interp: Interpreter, call: Call) -> Value:
    """`abs(x)`, which is `x.__abs__()`."""
    return of_one(interp, "abs", abs, call.get(0, "x"), call.node)


def _power(interp: Interpreter, call: Call) -> Value:
    """`pow(x, y)`, which is `x ** y`."""
    return binary(interp, ast.Pow(), call.get(0, "base"), call.get(1, "exp"), call.node)


def _rounded(interp: Interpreter, call: Call) -> Value:
    """`round(x, n)` of what is no constant is a number, like those that it was computed from."""
    value, digits = call.get(0, "number"), call.get(1, "ndigits", None)
    if isinstance(value, (int, float)) and math.isfinite(value):
        if digits is None:
            return round(value)
        if isinstance(digits, int) and abs(digits) <= _MOST_DIGITS:
            return round(value, digits)
    result = Unknown(interp.text(call.node), "number")
    result.graph_breaks = behind([value])
    return result


def _divided(interp: Interpreter, call: Call) -> Value:
    """`divmod(x, y)`, which is `(x // y, x % y)`."""
    x, y = call.get(0, "x"), call.get(1, "y")
    kinds: tuple[ast.operator, ...] = (ast.FloorDiv(), ast.Mod())
    return Items("tuple", [binary(interp, kind, x, y, call.node) for kind in kinds])


def _extreme(*, largest: bool) -> Callable[[Interpreter, Call], Value]:
    """`max` or `min`, of several values or of what one has as its elements."""

    def run(interp: Interpreter, call: Call) -> Value:
        values = call.args
        if "key" in call.keywords:
            return _by_key(interp, call, largest)
        if len(values) > 1 and all_numbers(values):
            return max(values) if largest else min(values)
        if len(values) > 1 and all(_is_comparable(value) for value in values):
            return _chosen(interp, values, call)
        if len(values) != 1:
            return _one_of(interp, call)
        return _among(interp, values[0], call, largest)

    return run


def _by_key(interp: Interpreter, call: Call, largest: bool) -> Value:
    """The largest or smallest by what `key` gives, where that is a constant for each."""
    given = materialized(call.args[0]) if len(call.args) == 1 else Items("list", call.args)
    if isinstance(given, Unknown):
        return _one_of(interp, call)
    found = iterate(interp, given, call.node).gathered()
    keys = keys_of(interp, found, call.keywords["key"], call.node)
    if not found or not all(map(constant, keys)):
        return _one_of(interp, call)
    return in_order(found, keys, reverse=largest)[0]


def _among(interp: Interpreter, values: Value, call: Call, largest: bool) -> Value:
    """The largest or smallest element of a value: a number where all of them are."""
    iteration = iterate(interp, values, call.node)
    found = iteration.gathered()
    if not found and iteration.complete and "default" in call.keywords:
        return call.keywords["default"]
    if found and iteration.complete and all_numbers(found):
        return max(found) if largest else min(found)
    if not found or not all(isinstance(one, Unknown) and one.hint == "number" for one in found):
        return _one_of(interp, call)
    extreme = Unknown(interp.text(call.node), "number")
    extreme.graph_breaks = behind(found)
    return extreme


def _one_of(interp: Interpreter, call: Call) -> Unknown:
    return Unknown(interp.text(call.node), weight=2)


def _is_comparable(value: Value) -> bool:
    if isinstance(value, Unknown):
        return value.hint in ("int", "number")
    return isinstance(value, (int, float, Tensor))


def _chosen(interp: Interpreter, values: list[Value], call: Call) -> Value:
    """One of several values, as this path has it; the last where nothing says otherwise."""
    found = values[0]
    for value in values[1:]:
        if decide(interp, Unknown(interp.text(call.node), "bool"), call.node):
            found = value
    return found


ON_NUMBERS: dict[str, Callable[[Interpreter, Call], Value]] = {
    "abs": _absolute,
    "divmod": _divided,
    "pow": _power,
    "round": _rounded,
    "max": _extreme(largest=True),
    "min": _extreme(largest=False),
}
