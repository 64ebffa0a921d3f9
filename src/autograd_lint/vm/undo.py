"""What a run changes that outlives it, so that it can be put back."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from autograd_lint.vm.contents import copied, restore
from autograd_lint.vm.scope import MISSING, Missing
from autograd_lint.vm.values import Items, Mapping, Value

K = TypeVar("K")


@dataclass(slots=True)
class UndoLog:
    """The names that were bound anew, and the containers that were filled, as they were before."""

    _names: list[Callable[[], None]] = field(default_factory=list)
    _containers: dict[int, tuple[Items | Mapping, Items | Mapping]] = field(default_factory=dict)

    def binds(self, names: MutableMapping[K, Value], name: K) -> None:
        """A name of a module, or an attribute of a class, is going to be bound anew."""
        assert isinstance(names, dict)
        before: Value | Missing = dict.get(names, name, MISSING)  # asked for by no program
        self._names.append(partial(_bind_as_before, names, name, before))

    def fills(self, container: Items | Mapping) -> None:
        """Something is going to be put into a container, or taken out of it."""
        if id(container) not in self._containers:
            self._containers[id(container)] = container, copied(container)

    def put_back(self) -> None:
        """Let everything be as it was before: the next run is a program of its own."""
        for container, before in self._containers.values():
            restore(container, before)
        for bind_as_before in reversed(self._names):
            bind_as_before()


def _bind_as_before(names: MutableMapping[K, Value], name: K, before: Value | Missing) -> None:
    if before is not MISSING:
        names[name] = before
    elif name in names:
        del names[name]
