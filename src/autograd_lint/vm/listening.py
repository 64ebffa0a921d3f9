"""Who hears what happens in a run: a table from the kinds of events to their listeners."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from autograd_lint.vm.events import Event
    from autograd_lint.vm.machine import Interpreter

E = TypeVar("E", bound="Event")


class Listener(Protocol):
    """Something that hears of a run."""

    def listen(self, to: Listeners) -> None:
        """Say which events it listens to, and with which of its methods."""


class Listeners:
    """The listeners of one run: `of` each kind of event those that were added, in that order."""

    def __init__(self) -> None:
        self.of: dict[type[Event], list[Callable[..., None]]] = {}

    def add(self, kind: type[E], listener: Callable[[Interpreter, E], None]) -> None:
        """Have `listener` called at every event of that kind."""
        self.of.setdefault(kind, []).append(listener)
