"""Attributes that are replaced for a while."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_NAMES = ("__name__", "__qualname__", "__module__")


class Patches:
    """What was replaced, to be put back."""

    __slots__ = ("_originals",)

    def __init__(self) -> None:
        self._originals: list[Any] = []  # in fives

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Put `value` under the name; `close` puts back what `owner` had, or inherited.

        What somebody else has put there since then stays.
        """
        own = vars(owner)  # where a static method is still one
        original = own[name] if name in own else getattr(owner, name)
        self._originals += (owner, name, value, original, name not in own)
        setattr(owner, name, value)

    def close(self) -> None:
        """Put everything back, the latest first."""
        while self._originals:
            owner, name, value, original, inherited = self._originals[-5:]
            del self._originals[-5:]
            if vars(owner).get(name) is not value:
                continue
            if inherited:
                delattr(owner, name)
            else:
                setattr(owner, name, original)


def named_like(original: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a function the names of what it replaces, where that is not written in Python.

    (`functools.wraps` would say more than such a function says, and takes more memory. What C says
    of itself becomes a string of its own whenever it is asked for; it is left out.)
    """

    def named(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in _NAMES:
            if hasattr(original, name):
                setattr(function, name, getattr(original, name))
        function.__doc__ = ""
        return function

    return named
