"""Members of enumerations, which are one object each.

Source: `EnumType` in Lib/enum.py.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeGuard

from autograd_lint.vm.dictionaries import content
from autograd_lint.vm.plain import plain
from autograd_lint.vm.scope import Missing
from autograd_lint.vm.values import (
    Class,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
    constant,
    is_key,
)

NAME, VALUE = (
    "_name_",
    "_value_",
)  # under which a member has what it is called, and what it stands for
_BASES = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_PLAIN = frozenset({"str", "int", "float", "bytes", "IntEnum", "StrEnum", "IntFlag"})


def is_enumeration(cls: Class) -> bool:
    """Whether a class of the program is an enumeration."""
    return not _BASES.isdisjoint(base_names(cls))


def base_names(cls: Class) -> list[str]:
    """The names of the classes of the standard library from which a class derives."""
    return [*filter(None, map(_standard_name, cls.external_bases()))]


@lru_cache(10_000)
def _standard_name(path: str) -> str:
    module, _, name = path.rpartition(".")
    return name if module in ("enum", "builtins") else ""


def is_member(value: Value) -> TypeGuard[Instance]:
    """Whether a value is a member of an enumeration."""
    if not isinstance(value, Instance) or NAME not in value.attributes:
        return False
    return isinstance(value.cls, Class) and is_enumeration(value.cls)


def is_exact(value: Value) -> bool:
    """Whether it is known of a value which others it is equal to: of a constant, and a member."""
    return constant(value) or is_member(value)


def lacks(mapping: Mapping, key: Value) -> bool:
    """Whether a dictionary is known to have no such key: it is known which keys that one equals, or
    there are none."""
    told_apart = is_exact(key) or (is_key(key) and not mapping.entries)
    return told_apart and key not in mapping.entries and mapping.rest is None


def plain_value(value: Value) -> Value:
    """The text or number that a member is as well (`class Mode(str, Enum)`); others as they are."""
    if not is_member(value) or not isinstance(value.cls, Class):
        return value
    return value.attributes[VALUE] if _PLAIN.intersection(base_names(value.cls)) else value


def members(cls: Class) -> dict[str, Instance]:
    """The members of an enumeration by name, in order; one may have several names."""
    own = cls.attributes.items()
    return {name: value for name, value in own if is_member(value) and value.cls is cls}


def listed_members(cls: Class) -> Items | None:
    """What a loop over an enumeration goes through, each member once; None for other classes."""
    found = members(cls)
    return Items("list", [*dict.fromkeys(found.values())]) if found else None


def content_of(value: Value) -> Value:
    """What a value holds, as `len` and `in` see it: an enumeration its members, an object that is a
    dictionary or a list as well what that holds; any other value is itself."""
    found = listed_members(value) if isinstance(value, Class) else None
    return found or content(value)


def members_by_name(cls: Class) -> Mapping:
    """`cls.__members__`."""
    return Mapping(dict(members(cls).items()))


def member_called(cls: Class, name: Value) -> Value:
    """`cls[name]`; None where the class is no enumeration."""
    found = members(cls)
    if isinstance(name, str) and name in found:
        return found[name]
    return Unknown(f"a member of {cls.name}") if found else None


def member_with(cls: Class, value: Value) -> Instance | None:
    """The member that `cls(value)` finds; None where none is known to have that value."""
    wanted = plain(value)
    for member in members(cls).values():
        if member is value:
            return member
        own = plain(member.attributes[VALUE])
        if not isinstance(wanted, Missing) and not isinstance(own, Missing) and own == wanted:
            return member
    return None
