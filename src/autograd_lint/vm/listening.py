"""Who hears what happens in a run: a table from the kinds of events to their listeners."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from autograd_lint.vm.events import Event
    from autograd_lint.vm.machine import Interpreter

E = TypeVar("E", bound="Event")
L = TypeVar("L", bound="Listener")


class Listener(Protocol):
    """Something that hears of a run; each run makes an object of it for itself."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        """Say which events it listens to, and with which of its methods."""


class Listeners:
    """Of each kind of event the classes that hear of it and their methods, in the order added.

    The table is the same for all runs. Whose object hears of an event the run knows
    (`Interpreter.state`).
    """

    def __init__(self) -> None:
        self.of: dict[type[Event], list[tuple[type[object], Callable[..., None]]]] = {}

    def add(
        self, listener: type[L], kind: type[E], method: Callable[[L, Interpreter, E], None]
    ) -> None:
        """Have a method of the listener called at every event of that kind."""
        self.of.setdefault(kind, []).append((listener, method))


NOBODY = Listeners()
