"""What was explored before need not be explored again, as long as all that it read is the same.

An editor asks for the same file over and over, with one statement of it changed. A run of a class
or function is a function of what it reads: of the names of modules, with all that their values
lead to, and of what it asks about the whole text. It is remembered with these, unless it changed
any of them or they cannot be compared.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from autograd_lint.analysis.fingerprints import Opaque, Teller, Told
from autograd_lint.analysis.outcomes import Outcome, Rows
from autograd_lint.checkers.unregistered import MADE
from autograd_lint.facts.relevance import acting_names, risky_names
from autograd_lint.immutable import immutable
from autograd_lint.vm.names import Names
from autograd_lint.vm.scope import MISSING, Scope
from autograd_lint.vm.values import Class, CodeReads, Lazy, Module
from autograd_lint.vm.world import World

Name = tuple[str, str]
"""A name of the module of a file."""

Settle = Callable[[Scope, str], None]


@immutable
class Explored:
    """What came of the runs of one definition; `untried` says that there was no time for all."""

    outcomes: Sequence[Outcome]
    untried: bool = False
    steps: int = 0


@immutable
class Memory:
    """What was explored, and all that it depends on; `rows` are those of the file by then."""

    explored: Explored
    read: dict[Name, _Seen]
    code_reads: CodeReads
    shared: Told
    queries: dict[Callable[..., object], object]
    known: Told
    rows: Rows
    statements: frozenset[ast.stmt]


@dataclass(slots=True)
class _Seen:
    """A value as it was told, with the objects in it that a program can change."""

    told: Told
    objects: tuple[int, ...] = ()
    definitions: tuple[ast.AST, ...] = ()


OPAQUE = _Seen(None)
LAZY = _Seen(Lazy)  # not computed, and only found to be there


@dataclass
class Remembering:
    """Remembers what one analysis explores, and finds what earlier ones did.

    `memories` are those of earlier analyses by what was explored, `found` those to keep.
    """

    world: World
    modules: dict[str, Module]
    memories: dict[object, Memory]
    kept: Callable[[Class], bool]
    unchanged: Callable[[], bool]
    settle: Settle
    found: dict[object, Memory] = field(default_factory=dict)
    _seen: dict[Name, _Seen] = field(default_factory=dict)
    _off: bool = False

    def __post_init__(self) -> None:
        self._rows = Rows(self.world.source)
        self._code_reads = self.world.memory.code_reads or CodeReads()
        self._statements = frozenset(self._rows.statements)
        self._meddled = len(self.world.imported.meddled)
        # What runs look at whoever asked first.
        own = set(self._rows.statements)
        made = [node for name, node in self.world.memory.nodes if name == MADE]
        named = {(getattr(node, "name", ""), node in own) for node in made}
        source = self.world.source
        self._known = named, (risky_names(source), acting_names(source))
        self._see_all_names()

    def recall(self, what: object) -> Explored | None:
        """What came of exploring something, if it is known and would be the same again."""
        memory = self.memories.get(what)
        if memory is None or self._off or not self._holds(memory):
            return None
        self.found[what] = memory
        if not memory.rows.moved:
            return memory.explored
        moved = [outcome.moved(memory.rows) for outcome in memory.explored.outcomes]
        return replace(memory.explored, outcomes=moved)

    def begin(self, name: str) -> None:
        """What the file calls by that name is going to be explored."""
        for module in self.modules.values():
            _names(module).touched.clear()
        _names(self.modules[self.world.source.filename]).touched.add(name)
        self.world.memory.queries.clear()
        self._code_reads.whole.clear()
        self._code_reads.queries.clear()

    def keep(self, what: object, explored: Explored) -> None:
        """It was explored: remember what came of it if it depends on nothing but what it read."""
        if len(self.world.imported.meddled) > self._meddled or not self.unchanged():
            self._off = True
        if self._off:
            return
        read = {name: self._now(name) for name in self._touched()}
        pure = all(seen is not OPAQUE and self._same(name, seen) for name, seen in read.items())
        if not pure:
            self._see_all_names()  # what it changed may be known by other names as well
            return
        self._seen.update((name, seen) for name, seen in read.items() if seen is not LAZY)
        statements = [outcome.statements(self._rows) for outcome in explored.outcomes]
        self.found[what] = Memory(
            explored,
            read,
            CodeReads(set(self._code_reads.whole), dict(self._code_reads.queries)),
            self._shared(read),
            dict(self.world.memory.queries),
            self._known,
            self._rows,
            frozenset().union(*statements),
        )

    def _see_all_names(self) -> None:
        """See all names as they are now."""
        own = self.modules[self.world.source.filename]
        names = {(own.source.filename, name) for name in _names(own)} | self._touched()
        self._seen = {name: self._now(name) for name in names if not self._lazy(name)}

    def _holds(self, memory: Memory) -> bool:
        if not memory.statements <= self._statements:
            return False
        if memory.known != self._known:
            return False
        source = self.world.source
        if any(find(source) != answer for find, answer in memory.queries.items()):
            return False
        # What has not been computed yet comes last: it is not to be computed in vain.
        names = sorted(memory.read, key=self._lazy)
        return (
            all(self._told(name, memory) for name in names)
            and self._shared(memory.read) == memory.shared
        )

    def _told(self, name: Name, memory: Memory) -> bool:
        """Whether a name stands for the same as before, as far as anybody looked."""
        before = memory.read[name]
        if before is LAZY:
            return self._lazy(name)
        if self._lazy(name):
            self.settle(self.modules[name[0]].scope, name[1])
        if name not in self._seen:
            self._seen[name] = self._now(name)
        seen = self._seen[name]
        return (
            seen is not OPAQUE
            and seen.told == before.told
            and self._read_alike(before.definitions, seen.definitions, memory.code_reads)
        )

    def _read_alike(
        self, before: Sequence[ast.AST], now: Sequence[ast.AST], reads: CodeReads
    ) -> bool:
        """Whether definitions are the same, or nobody can tell that they are not."""
        if before == now:
            return True
        others = [(one, other) for one, other in zip(before, now, strict=True) if one is not other]
        source = self.world.source
        return not any(
            one in reads.whole
            or any(find(source, other) != was for find, was in reads.queries.get(one, {}).items())
            for one, other in others
        )

    def _touched(self) -> set[Name]:
        return {
            (filename, name)
            for filename, module in self.modules.items()
            for name in _names(module).touched
        }

    def _same(self, name: Name, seen: _Seen) -> bool:
        before = self._seen.get(name)
        if before is None:
            return True
        same = before.told == seen.told and before.definitions == seen.definitions
        return before is not OPAQUE and same

    def _lazy(self, name: Name) -> bool:
        return type(self._value(name)) is Lazy

    def _value(self, name: Name) -> object:
        module = self.modules.get(name[0])
        return MISSING if module is None else dict.get(_names(module), name[1], MISSING)

    def _now(self, name: Name) -> _Seen:
        value = self._value(name)
        if value is MISSING:
            return _Seen(name[0] in self.modules)
        if type(value) is Lazy:
            return LAZY
        teller = Teller(self._rows, self.kept)
        try:
            told = teller.tell(value)
            return _Seen(told, tuple(teller.objects), tuple(teller.definitions))
        except Opaque:
            return OPAQUE

    def _shared(self, names: Iterable[Name]) -> Told:
        """Which objects are known by several of some names."""
        first: dict[int, tuple[Name, int]] = {}
        shared: list[tuple[tuple[Name, int], tuple[Name, int]]] = []
        for name in sorted(names):
            seen = self._seen.get(name, LAZY)
            for position, one in enumerate(seen.objects):
                before = first.setdefault(one, (name, position))
                if before != (name, position):
                    shared.append((before, (name, position)))
        return shared


def _names(module: Module) -> Names:
    names = module.scope.names
    assert isinstance(names, Names)
    return names
