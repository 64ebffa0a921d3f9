"""The Python numbers that were read from tensors with a graph, the latest ones."""

from __future__ import annotations

import math
import struct
from collections import OrderedDict
from typing import Any

from autograd_lint.live.memory import Origin

_MOST = 64
_FEW = 4_096.0  # a number that becomes whole by it could be written anywhere
_LARGEST = 3.4e38  # of single precision
_Key = tuple[type, Any]


class Numbers:
    """Where a number comes from, by its value as single precision holds it."""

    __slots__ = ("_origins",)

    def __init__(self) -> None:
        self._origins: OrderedDict[_Key, Origin] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._origins)

    def add(self, value: Any, origin: Origin) -> None:
        """A number was read from a tensor whose graph `origin` leaves."""
        key = _key(value)
        if key is None:
            return
        self._origins[key] = origin
        self._origins.move_to_end(key)
        if len(self._origins) > _MOST:
            self._origins.popitem(last=False)

    def add_computed(self, value: float, origin: Origin) -> None:
        """A number was computed of one that was read: it is known where it has many binary digits,
        and else could be written anywhere."""
        if math.isfinite(value) and not (_FEW * value).is_integer():
            self.add(value, origin)

    def like(self, value: Any) -> Origin | None:
        """Where a number of this value was read, most recently; None where none was."""
        key = _key(value)
        return None if key is None else self._origins.get(key)

    def exactly(self, value: float) -> Origin | None:
        """The same where it is most likely that very number, and none that the program has written:
        such a one has few binary digits, or more than single precision holds."""
        read = self.like(value)
        is_written = read is None or (_FEW * value).is_integer() or _single(value) != value
        return None if is_written else read

    @property
    def latest(self) -> Origin:
        """Where the latest one was read; there must be one."""
        return next(reversed(self._origins.values()))


def _single(value: float) -> float:
    """A number as single precision holds it."""
    return float(*struct.unpack("f", struct.pack("f", value)))


def _key(value: Any) -> _Key | None:
    if type(value) is float and abs(value) < _LARGEST:
        return float, struct.pack("f", value)
    return (type(value), value) if type(value) in (int, float, complex) else None
