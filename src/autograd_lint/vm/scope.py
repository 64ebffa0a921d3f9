"""Names and what they are bound to."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from autograd_lint.vm.values import Lazy, Module, Value


class Missing(Enum):
    """What stands for a name that is bound nowhere."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


@dataclass(slots=True, eq=False, repr=False)
class Scope:
    """The names of a module, class body or function call.

    `stars` are the modules whose names it imported all at once.

    `parent` is where names are looked up next (class bodies are skipped, as Python does). `names`
    of a module remember what is asked for; compiled code asks a `dict` by ways that nobody sees.
    """

    names: MutableMapping[str, Value] = field(default_factory=dict)
    parent: Scope | None = None
    module: Scope | None = None
    is_class: bool = False
    global_names: frozenset[str] = frozenset()
    nonlocal_names: frozenset[str] = frozenset()
    stars: list[Lazy | Module | None] = field(default_factory=list)

    def lookup(self, name: str) -> Value | Missing:
        """The value of a name; MISSING when it is bound nowhere."""
        scope: Scope | None = self
        while scope is not None:
            if scope is self or not scope.is_class:
                value = scope.names.get(name, MISSING)
                if value is not MISSING:
                    return value
            scope = scope.parent
        return MISSING

    def binder(self, name: str) -> Scope | None:
        """The scope in which `lookup` finds a name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names and (scope is self or not scope.is_class):
                return scope
            scope = scope.parent
        return None

    def bind(self, name: str, value: Value) -> None:
        """Assign to a name, honouring `global` and `nonlocal`."""
        if name in self.global_names and self.module is not None:
            self.module.names[name] = value
        elif name in self.nonlocal_names:
            self._owner(name).names[name] = value
        else:
            self.names[name] = value

    def unbind(self, name: str) -> None:
        if name in self.names:
            del self.names[name]

    def _owner(self, name: str) -> Scope:
        scope = self.parent
        while scope is not None and not (name in scope.names and not scope.is_class):
            scope = scope.parent
        return scope or self
