"""What imports led to, kept from one analysis of a file to the next, for editors ask over and over.

Only what no run of a program changes is kept: functions and classes in which there is nothing that
autograd knows of. Everything else is computed anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.analysis.run_cache import Memory
from autograd_lint.project.modules import State
from autograd_lint.vm.imports import lazy_names
from autograd_lint.vm.scope import Scope
from autograd_lint.vm.values import (
    Class,
    External,
    Function,
    Items,
    Lazy,
    Mapping,
    Module,
    Native,
    Property,
    Unknown,
    Value,
    constant,
)
from autograd_lint.vm.world import World

_Container = Items | Mapping | Unknown


@dataclass
class Kept:
    """The modules of imported files with those of their names that were computed.

    They are good while every file that imports asked for is as it was. `memories` are of what was
    explored in the file itself.
    """

    _modules: dict[str, Module] = field(default_factory=dict)
    _state: State = field(default_factory=State)
    _examined: _Examined = field(default_factory=lambda: _Examined())
    memories: dict[object, Memory] = field(default_factory=dict)

    def begin(self, world: World) -> None:
        """Begin an analysis: whatever is not good any more is let go."""
        if self._modules and not world.project.stands(self._state):
            self._drop()
        world.project.trail |= self._state.paths

    def modules(self) -> dict[str, Module]:
        """The modules to begin a run with, by file."""
        for module in self._modules.values():
            self._renew(module)
        return dict(self._modules)

    def holds(self, cls: Class) -> bool:
        """Whether the very object of a class lives on."""
        return self._examined.plain(cls)

    def unchanged(self) -> bool:
        """Whether no run has put anything into what is kept."""
        return self._examined.unchanged()

    def end(self, modules: dict[str, Module], world: World) -> None:
        """Keep the modules that an analysis has imported, unless its program changed them."""
        own = world.source.filename
        if world.imported.meddled or not self._examined.unchanged():
            self._drop()
        elif modules:
            self._modules = {name: module for name, module in modules.items() if name != own}
            trail = frozenset(world.project.trail) - {own}
            if trail != self._state.paths:
                self._state = world.project.state(trail)

    def _renew(self, module: Module) -> None:
        """Let the names be computed anew whose values are not to be kept."""
        names = module.scope.names
        used = [name for name, value in names.items() if type(value) is not Lazy]
        gone = {name for name in used if not self._examined.lasting(names[name])}
        names.update(lazy_names(module.source, module.scope, gone))

    def _drop(self) -> None:
        self._modules, self._state, self._examined = {}, State(), _Examined()
        self.memories = {}


@dataclass
class _Examined:
    """Which values last, and what the containers held that they are made of."""

    known: dict[object, bool] = field(default_factory=dict)
    held: list[tuple[_Container, object]] = field(default_factory=list)

    def lasting(self, value: Value) -> bool:
        """Whether the value of a name is to be kept."""
        return isinstance(value, (Class, External, Function, Module)) and self.plain(value)

    def unchanged(self) -> bool:
        """Whether no run has put anything into a container that belongs to what is kept."""
        return all(_contents(container) == held for container, held in self.held)

    def plain(self, value: Value) -> bool:
        """Whether there is nothing in a value that autograd knows of."""
        if constant(value) or isinstance(value, (External, Module, Native, Property)):
            return True
        if isinstance(value, (Class, Function, Items, Mapping, Unknown)):
            if value not in self.known:
                self.known[value] = True  # while its parts are looked at, which may lead back
                plain = not isinstance(value, Unknown) or _is_without_graph(value)
                self.known[value] = plain and all(map(self.plain, self._parts(value)))
            return self.known[value]
        return False

    def _parts(self, value: Class | Function | _Container) -> list[Value]:
        if isinstance(value, Class):
            return [*value.bases, *value.attributes.values()]
        if isinstance(value, Function):
            closed = _enclosing(value.scope)
            return [*value.defaults, *value.keyword_defaults.values(), *closed]
        self.held.append((value, _contents(value)))
        if isinstance(value, Items):
            return [*value.items, value.rest]
        if isinstance(value, Mapping):
            return [*value.entries.values(), value.rest]
        return list(value.attributes.values())


def _is_without_graph(value: Unknown) -> bool:
    return value.tensor is None and value.source is None and value.memory is None


def _contents(container: _Container) -> object:
    """What tells whether something was put into a container; reading an unknown adds unknowns."""
    if isinstance(container, Items):
        return tuple(map(id, container.items))
    if isinstance(container, Mapping):
        return {key: id(value) for key, value in container.entries.items()}
    added = [value for value in container.attributes.values() if not isinstance(value, Unknown)]
    return container.tensor, container.source, container.memory, tuple(map(id, added))


def _enclosing(scope: Scope) -> list[Value]:
    """What the functions around a function have in their names."""
    found: list[Value] = []
    inner: Scope | None = scope
    while inner is not None and inner.parent is not None:
        found.extend(inner.names.values())
        inner = inner.parent
    return found
