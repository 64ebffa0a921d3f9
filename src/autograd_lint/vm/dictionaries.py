"""Objects of classes that derive from `dict`: what they hold, beside their attributes."""

from __future__ import annotations

from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    DATA,
    Class,
    External,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
)

DICTIONARIES = frozenset(
    {"builtins.dict", "collections.OrderedDict", "collections.UserDict", "typing.Dict"}
)
METHODS = frozenset(
    {"get", "setdefault", "pop", "update", "keys", "values", "items", "copy", "clear"}
)
HELD = "what the dictionary holds"


def held(value: Value) -> Mapping | None:
    """What an object holds as a dictionary; None where it is none."""
    if not isinstance(value, Instance) or not isinstance(value.cls, Class):
        return None
    found = value.attributes.get(HELD)
    if found is None and not DICTIONARIES.isdisjoint(value.cls.external_bases()):
        found = value.attributes[HELD] = Mapping({}, _more(value.cls))
    return found if isinstance(found, Mapping) else None


def _more(cls: Class) -> Value:
    """What else an object may hold: that of a class with bases which are not known anything."""
    bases = [base for own in cls.mro() for base in own.bases]
    known = all(
        isinstance(base, Class) or (isinstance(base, External) and base.path in DICTIONARIES)
        for base in bases
    )
    return None if known else Unknown("an entry", weight=DATA)


def opened(value: Value) -> None:
    """Let an object that was made with unknown arguments hold what nobody knows, too."""
    inner = held(value)
    if inner is not None and inner.rest is None:
        inner.rest = Unknown("an entry", weight=DATA)


def dictionary_method(interp: Interpreter, inner: Mapping, name: str, call: Call) -> Value:
    """`dict.name(object, ...)`, as `super()` asks for it."""
    from autograd_lint.vm.containers import mapping_method
    from autograd_lint.vm.subscripts import get_item, set_item

    if name == "__getitem__":
        return get_item(interp, inner, call.get(0, "key"), call.node)
    if name == "__setitem__":
        set_item(interp, inner, call.get(0, "key"), call.get(1, "value"), call.node, name)
        return None
    if name in ("__init__", "update"):
        fill(interp, inner, call)
        return None
    if name == "__iter__":
        return Items("list", list(inner.entries), inner.rest and Unknown("a key"))
    return mapping_method(interp, inner, "pop" if name == "__delitem__" else name, call)


def fill(interp: Interpreter, inner: Mapping, call: Call) -> None:
    """`dict.update(...)`, which `dict(...)` does as well."""
    from autograd_lint.vm.builtin_functions import BUILTINS

    interp.changes(inner)
    given = BUILTINS["dict"](interp, call)
    inner.entries.update(given.entries)
    inner.rest = inner.rest or given.rest
