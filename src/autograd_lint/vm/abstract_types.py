"""Classes of Python's library that stand for what a value can do: hashable, iterable, a number."""

from __future__ import annotations

import collections.abc
import numbers

_MODULES = {"typing": collections.abc, "collections.abc": collections.abc, "numbers": numbers}


def abstract(path: str) -> type | None:
    """The class of that dotted name, if it is such a one."""
    package, _, name = path.rpartition(".")
    found = object if path == "builtins.object" else getattr(_MODULES.get(package), name, None)
    return found if isinstance(found, type) else None
