"""Functions of torch of whose calls somebody is told."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from autograd_lint.live.own_frames import passes_on
from autograd_lint.live.patching import Patches
from autograd_lint.live.pitfalls.used_up import gone_through
from autograd_lint.live.record import Record


class Heard:
    """Replaces functions by ones that tell; where telling fails, the call goes on."""

    __slots__ = ("_record", "patches")

    def __init__(self, record: Record) -> None:
        self._record = record
        self.patches = Patches()

    def close(self) -> None:
        """Put back what was there."""
        self.patches.close()

    def before(
        self, owner: Any, name: str, told: Callable[..., Any], *, static: bool = False
    ) -> None:
        """Be told before a function is called; `static`: it is called of the class."""
        original, record = getattr(owner, name), self._record

        @passes_on
        @wraps(original)
        def function(*args: Any, **kwargs: Any) -> Any:
            with record.looking(f"a call of `{name}`"):
                told(*args, **kwargs)
            return original(*args, **kwargs)

        self.patches.replace(owner, name, staticmethod(function) if static else function)

    def after(
        self, owner: Any, name: str, told: Callable[..., Any], *, static: bool = False
    ) -> None:
        """Be told after it, of what it gave back and was given; `static`: called of the class."""
        original, record = getattr(owner, name), self._record

        @passes_on
        @wraps(original)
        def function(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            with record.looking(f"a call of `{name}`"):
                told(result, *args, **kwargs)
            return result

        self.patches.replace(owner, name, staticmethod(function) if static else function)

    def around_iterators(self, owner: Any, name: str, told: Callable[..., Any]) -> None:
        """Be told before a function is called, of its first argument, and what that gives where it
        is an iterator."""
        original, record = getattr(owner, name), self._record

        @passes_on
        @wraps(original)
        def function(given: Any, *args: Any, **kwargs: Any) -> Any:
            listed, again = gone_through(given)
            with record.looking(f"a call of `{name}`"):
                told(given, listed, *args, **kwargs)
            return original(again, *args, **kwargs)

        self.patches.replace(owner, name, function)
