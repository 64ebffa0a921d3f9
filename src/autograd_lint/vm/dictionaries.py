"""Objects of classes that derive from `dict` or `list`: what they hold, beside their attributes."""

from __future__ import annotations

from collections import deque

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
    {
        *("builtins.dict", "collections.OrderedDict", "collections.UserDict", "typing.Dict"),
        *("collections.defaultdict", "typing.DefaultDict"),
    }
)
DEFAULTS = frozenset({"collections.defaultdict", "typing.DefaultDict"})
LISTS = frozenset({"builtins.list", "collections.UserList", "collections.deque", "typing.List"})
METHODS = frozenset(
    {"get", "setdefault", "pop", "update", "keys", "values", "items", "copy", "clear"}
)
LIST_METHODS = (frozenset(vars(list)) | frozenset(vars(deque))) - frozenset(vars(object))
HELD = "what it holds"


def held(value: Value) -> Mapping | None:
    """What an object holds as a dictionary; None where it is none."""
    if not isinstance(value, Instance) or not isinstance(value.cls, Class):
        return None
    found = value.attributes.get(HELD)
    if found is None and not DICTIONARIES.isdisjoint(value.cls.external_bases()):
        found = value.attributes[HELD] = Mapping({}, _more(value.cls))
    return found if isinstance(found, Mapping) else None


def makes_defaults(value: Instance) -> bool:
    """Whether the constructor of an object is first given what makes the values of missing keys."""
    return isinstance(value.cls, Class) and not DEFAULTS.isdisjoint(value.cls.external_bases())


def listed(value: Value) -> Items | None:
    """What an object holds as a list; None where it is none."""
    if not isinstance(value, Instance) or not isinstance(value.cls, Class):
        return None
    found = value.attributes.get(HELD)
    if found is None and not LISTS.isdisjoint(value.cls.external_bases()):
        found = value.attributes[HELD] = Items("list", [], _more(value.cls))
    return found if isinstance(found, Items) else None


def content(value: Value) -> Value:
    """The dictionary or list that an object is as well; any other value as it is."""
    return held(value) or listed(value) or value


def _more(cls: Class) -> Value:
    """What else an object may hold: that of a class with bases which are not known anything."""
    bases = [base for own in cls.mro() for base in own.bases]
    known = all(
        isinstance(base, Class)
        or (isinstance(base, External) and base.path in DICTIONARIES | LISTS)
        for base in bases
    )
    return None if known else Unknown("an entry", weight=DATA)


def opened(value: Value) -> None:
    """Let an object that was made with unknown arguments hold what nobody knows, too."""
    inner = held(value) or listed(value)
    if inner is not None and inner.rest is None:
        inner.rest = Unknown("an entry", weight=DATA)
