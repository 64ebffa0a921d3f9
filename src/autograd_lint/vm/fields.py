"""The fields of dataclasses and of classes derived from `NamedTuple`."""

from __future__ import annotations

import ast

from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.dictionaries import HELD
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, FieldDefault, Instance, Items, Unknown, Value

_NAMED_TUPLES = frozenset({"typing.NamedTuple", "NamedTuple"})


def is_named_tuple(cls: Class) -> bool:
    """Whether the objects of a class are tuples whose elements have names."""
    return not _NAMED_TUPLES.isdisjoint(cls.external_bases())


def annotated_fields(cls: Class) -> list[str]:
    """The fields of a dataclass or NamedTuple in order."""
    names: list[str] = []
    for own in reversed(list(cls.mro())):
        for statement in own.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                names.append(statement.target.id)
    return list(dict.fromkeys(names))


def fill_fields(interp: Interpreter, instance: Instance, cls: Class, call: Call) -> None:
    """Set the fields of a new object to what it is given, or to what they are by default."""
    names = annotated_fields(cls)
    for position, name in enumerate(names):
        if call.given(position, name):
            instance.attributes[name] = call.get(position, name)
        else:
            instance.attributes[name] = _default(interp, cls, name, call)
    if is_named_tuple(cls):
        elements = [instance.attributes[name] for name in names]
        instance.attributes[HELD] = Items("tuple", elements)


def _default(interp: Interpreter, cls: Class, name: str, call: Call) -> Value:
    for own in cls.mro():
        if name in own.attributes:
            value = own.attributes[name]
            if isinstance(value, FieldDefault):
                return call_value(interp, value.factory, Call([], {}, call.node))
            return value
    return Unknown(name)
