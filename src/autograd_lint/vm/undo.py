"""What a run changes that outlives it, so that it can be put back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autograd_lint.vm.contents import copied, restore
from autograd_lint.vm.scope import MISSING
from autograd_lint.vm.values import Items, Mapping


@dataclass(slots=True)
class UndoLog:
    """The names that were bound anew, and the containers that were filled, as they were before."""

    _names: list[tuple[dict[Any, Any], str, Any]] = field(default_factory=list)
    _containers: dict[int, tuple[Items | Mapping, Items | Mapping]] = field(default_factory=dict)

    def binds(self, names: dict[Any, Any], name: str) -> None:
        """A name of a module, or an attribute of a class, is going to be bound anew."""
        self._names.append((names, name, dict.get(names, name, MISSING)))

    def fills(self, container: Items | Mapping) -> None:
        """Something is going to be put into a container, or taken out of it."""
        if id(container) not in self._containers:
            self._containers[id(container)] = container, copied(container)

    def put_back(self) -> None:
        """Let everything be as it was before: the next run is a program of its own."""
        for container, before in self._containers.values():
            restore(container, before)
        for names, name, value in reversed(self._names):
            if value is MISSING:
                names.pop(name, None)
            else:
                names[name] = value
