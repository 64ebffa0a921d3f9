"""Making the members of an enumeration, when its class is defined."""

from __future__ import annotations

from autograd_lint.vm.calls import Call, call_function
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import NAME, VALUE, base_names, member_with
from autograd_lint.vm.values import Class, External, Function, Instance, Items, Unknown, Value

AUTO = External("enum.auto()")  # the value of a member that its class counts


def make_members(interp: Interpreter, cls: Class) -> None:
    """Make a member of each name that the body of an enumeration binds to a value."""
    last: Value = None
    for name, value in list(cls.attributes.items()):
        if name.startswith("_") or isinstance(value, (Function, Class)):
            continue
        last = value = _counted(cls, name, last) if value == AUTO else value
        cls.attributes[name] = member_with(cls, value) or _made(interp, cls, name, value)


def _counted(cls: Class, name: str, last: Value) -> Value:
    """The value of `auto()` behind a member with the value `last`."""
    bases = set(base_names(cls))
    if "StrEnum" in bases:
        return name.lower()
    if cls.find("_generate_next_value_") is not None or not isinstance(last, int | None):
        return Unknown(name)
    if not bases.isdisjoint({"Flag", "IntFlag"}):
        return 1 << (last or 0).bit_length()
    return (last or 0) + 1


def _made(interp: Interpreter, cls: Class, name: str, value: Value) -> Instance:
    """A member of that name and value, whose `__init__` is given the parts of a tuple."""
    if cls.find("__new__") is not None:
        value = Unknown(f"{name}.value")
    names: dict[str, Value] = {NAME: name, "name": name, VALUE: value, "value": value}
    member = Instance(cls, names, made_at=cls.definition)
    initializer = cls.find("__init__")
    if isinstance(initializer, Function):
        parts = list(value.items) if isinstance(value, Items) and value.kind == "tuple" else [value]
        call_function(interp, initializer, Call(parts, {}, cls.definition), member)
    return member
