"""Values that are known altogether, as Python has them: constants, and containers of such."""

from __future__ import annotations

from typing import TypeAlias

from autograd_lint.vm.integers import Counter
from autograd_lint.vm.scope import MISSING, Missing
from autograd_lint.vm.values import Items, Value, constant

_MOST = 1_000  # elements
_DEPTH = 4
_KINDS = ("list", "tuple", "set", "frozenset")

Plain: TypeAlias = (
    "bool | int | float | complex | str | bytes | list[Plain] | tuple[Plain, ...] | "
    "frozenset[Plain] | None"
)


def plain(value: Value, depth: int = _DEPTH) -> Plain | Missing:
    """A value as Python has it; MISSING where it is not known altogether, how far a loop of unknown
    length has come among that."""
    if constant(value):
        return MISSING if isinstance(value, Counter) else value
    if not isinstance(value, Items) or value.kind not in _KINDS or not depth:
        return MISSING
    if not value.closed or value.partial or value.fields or len(value.items) > _MOST:
        return MISSING
    found: list[Plain] = []
    for item in value.items:
        part = plain(item, depth - 1)
        if isinstance(part, Missing):
            return MISSING
        found.append(part)
    if value.kind == "list":
        return found
    if value.kind == "tuple":
        return tuple(found)
    return MISSING if any(isinstance(part, list) for part in found) else frozenset(found)
