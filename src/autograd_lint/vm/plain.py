"""Values that are known altogether, as Python has them: constants, and containers of such."""

from __future__ import annotations

from typing import TypeAlias

from autograd_lint.vm.integers import known_constant
from autograd_lint.vm.scope import MISSING, Missing
from autograd_lint.vm.values import Items, Value

_MOST = 1_000  # constants and containers, all together
_DEPTH = 4
_KINDS = ("list", "tuple", "set", "frozenset")

Plain: TypeAlias = (
    "bool | int | float | complex | str | bytes | list[Plain] | tuple[Plain, ...] | "
    "frozenset[Plain] | None"
)


def plain(value: Value) -> Plain | Missing:
    """A value as Python has it; MISSING where it is not known altogether, how far a loop of unknown
    length has come among that."""
    return _all_of(value, [_MOST])


def _all_of(value: Value, left: list[int], depth: int = _DEPTH) -> Plain | Missing:
    """The same for one of the parts of a value, of which there may be so many that are `left`."""
    left[0] -= 1
    if known_constant(value):
        return value
    if not isinstance(value, Items) or value.kind not in _KINDS or not depth:
        return MISSING
    if not value.closed or value.partial or value.fields or len(value.items) > left[0]:
        return MISSING
    found: list[Plain] = []
    for item in value.items:
        part = _all_of(item, left, depth - 1)
        if isinstance(part, Missing):
            return MISSING
        found.append(part)
    return _made(value.kind, found)


def _made(kind: str, parts: list[Plain]) -> Plain | Missing:
    """The container of a kind with these parts; MISSING for a set of what has no hash."""
    if kind == "list":
        return parts
    if kind == "tuple":
        return tuple(parts)
    try:
        return frozenset(parts)
    except TypeError:
        return MISSING
