"""Who hears what happens in a run: a table from the kinds of events to their listeners."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    from autograd_lint.vm.events import Event
    from autograd_lint.vm.machine import Interpreter

E = TypeVar("E", bound="Event")
L = TypeVar("L", bound="Listener")


class Listener:
    """Something that hears of a run; each run makes an object of it for itself."""

    __slots__ = ()

    @classmethod
    def listen(cls, to: Listeners) -> None:
        """Say which events it listens to, and with which of its methods."""
        raise NotImplementedError


class Hearer(NamedTuple):
    """A method that is called at events of a kind, on the object that a run makes of `listener`.

    `only` says of a name whether an event of that name concerns it, `waits` that none does before
    that object is there.
    """

    listener: type[object]
    method: Callable[..., None]
    only: Callable[[str], bool] | None
    waits: bool


Called: TypeAlias = tuple[type[object], Callable[..., None], bool]
"""Of a hearer what an event needs: the class of the object, the method, and whether it waits."""


class Named(dict[tuple[type["Event"], str], list[Called]]):
    """What is called at events of a kind and a name, looked for among all for that kind (`every`)
    when the first such event comes."""

    def __init__(self, every: dict[type[Event], list[Hearer]]) -> None:
        super().__init__()
        self._every = every

    def __missing__(self, asked: tuple[type[Event], str]) -> list[Called]:
        kind, name = asked
        every = self._every.get(kind, ())
        concerned = (one for one in every if one.only is None or one.only(name))
        found = self[asked] = [(one.listener, one.method, one.waits) for one in concerned]
        return found


class Listeners:
    """Of each kind of event the methods that are called at it, in the order added.

    The table is the same for all runs. Whose object hears of an event the run knows (`States`).
    """

    def __init__(self) -> None:
        self._of: dict[type[Event], list[Hearer]] = {}
        self.named = Named(self._of)

    def add(
        self,
        listener: type[L],
        kind: type[E],
        method: Callable[[L, Interpreter, E], None],
        *,
        only: Callable[[str], bool] | None = None,
        waits: bool = False,
    ) -> None:
        """Have a method of the listener called at events of that kind.

        `only` says of a name whether such an event concerns it: that of an operator, where one has
        run, or of the class of a layer, where a module was called, which is empty for one of the
        program's own. A listener that `waits` hears of them once another event has concerned it.
        """
        self._of.setdefault(kind, []).append(Hearer(listener, method, only, waits))
        self.named.clear()


NOBODY = Listeners()


class States(dict[type[object], object]):
    """What a run remembers, by class: objects of them, each made when it is asked for first."""

    def __missing__(self, kind: type[object]) -> object:
        made = self[kind] = kind()
        return made
