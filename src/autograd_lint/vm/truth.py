"""When a value counts as true."""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.bounds import implied_truth
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.deciding import decide
from autograd_lint.vm.dictionaries import content
from autograd_lint.vm.instances import call_method, has_method
from autograd_lint.vm.integers import Counter
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import plain_value
from autograd_lint.vm.values import (
    Class,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
    constant,
)


def known_truth(value: Value) -> bool | None:
    """Whether the value is true; None when that is not known."""
    value = plain_value(value)
    if isinstance(value, Counter):
        return bool(int(value))
    if constant(value):
        return bool(value)
    value = content(value)
    if isinstance(value, Items):
        return bool(value.items) or (None if value.rest is not None else False)
    if isinstance(value, Mapping):
        return bool(value.entries) or (None if value.rest is not None else False)
    if isinstance(value, (Unknown, Tensor)) or _asked_method(value):
        return None
    return True


def answer(interp: Interpreter, value: Value, node: ast.AST) -> Value:
    """What an object gives that is asked whether it is true, by its `__bool__` or `__len__`; any
    other value as it is."""
    method = _asked_method(value)
    if not method or not isinstance(value, Instance):
        return value
    return call_method(interp, value, method, [], node)


def _asked_method(value: Value) -> str:
    """The method of an object that says whether it is true; empty where its class has none."""
    if not isinstance(value, Instance) or not isinstance(value.cls, Class):
        return ""
    return next((one for one in ("__bool__", "__len__") if has_method(value, one)), "")


def is_true(interp: Interpreter, value: Value, node: ast.AST, usual: bool = True) -> bool:
    """Whether the value is true on this path; decides where it is not known."""
    value = answer(interp, value, node)
    known = known_truth(value)
    if known is not None:
        return known
    known = implied_truth(interp, value) if isinstance(value, Unknown) else None
    if known is not None:
        return known
    tensor = tensor_of(value)
    if tensor is not None:
        interp.models.operators.condition(interp, tensor, node)
        if tensor.storage.writes:
            value = tensor  # it may be another than when it was asked last
    asked = value if isinstance(value, Unknown) else Unknown(interp.text(node))
    return decide(interp, asked, node, usual, measured=_is_measured(asked, tensor))


def _is_measured(asked: Unknown, tensor: Tensor | None) -> bool:
    """Whether the values of a tensor decide."""
    original = asked.negates.tensor if asked.negates is not None else None
    return tensor is not None or original is not None


def negated(value: Value, wanted: bool = True) -> Value:
    """`not value`, where that is `wanted`; of something unknown always the same unknown."""
    if not wanted:
        return value
    if isinstance(value, Unknown):
        return _opposite(value)
    return value if isinstance(value, Tensor) else not value


def _opposite(value: Unknown) -> Unknown:
    opposite = value.derived("not", value.origin, value.hint)
    opposite.negates = value
    return opposite


def as_truth(value: Unknown) -> Unknown:
    """`bool(value)` of something unknown: an unknown that is true where that is."""
    if value.hint == "bool":
        return value
    truth = value.derived("bool", value.origin, "bool")
    truth.negates = _opposite(value)
    return truth
