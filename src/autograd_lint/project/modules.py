"""Imports across the files of a project: from a dotted name to the file that answers to it."""

import ast
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from autograd_lint.observed.calls import Call, Key
from autograd_lint.project import stamps
from autograd_lint.project.examples import examples_in
from autograd_lint.project.imports import Imported, imports_in
from autograd_lint.project.library_models import LibraryModels
from autograd_lint.project.looked import Looked
from autograd_lint.project.lookup import Lookup
from autograd_lint.project.mentions import Mention, Texts, mentions_in, passed_on
from autograd_lint.project.recorded_facts import RecordedFacts
from autograd_lint.project.roots import Home
from autograd_lint.project.source import Source
from autograd_lint.project.sources import Sources
from autograd_lint.project.stamps import Stamp
from autograd_lint.project.star_imports import defined_for_all, taken_whole

T = TypeVar("T")
SETTINGS = (".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".conf", ".gin", ".sh", ".bash")


def _no_target() -> None:
    """For a project of which nobody knows what version of the engine it is written for."""


@dataclass(frozen=True)
class State:
    """What imports of some paths rested on: sources that were opened, and stamps of the others."""

    paths: frozenset[str] = frozenset()
    opened: Mapping[str, Source] = field(default_factory=dict)
    stamps: tuple[Stamp, ...] = ()


class Project:
    """The files below some roots, read when an import asks for them; nothing outside is touched."""

    def __init__(
        self,
        roots: Iterable[Path],
        opened: Mapping[str, Source] | None = None,
        speaking: Iterable[Path] = (),
        models: Iterable[Path] = (),
        target: Callable[[], str | None] = _no_target,
    ) -> None:
        """The project below `roots`; `opened` sources stand for the files of their names.

        Who speaks of a name is asked of the files below `speaking`, by default of all. `models` are
        folders with models of libraries, besides those that this package brings. `target` tells the
        version of the engine that the project is written for, None where none is known; it is asked
        once that matters.
        """
        self._target = target
        self.roots = tuple(OrderedDict.fromkeys(roots))
        self._opened = opened or {}
        self._speaking = tuple(OrderedDict.fromkeys(speaking)) or self.roots
        self._lookup = Lookup(self.roots, self._opened)
        self._sources = Sources(self._opened)
        self._seen = stamps.Stamps()
        self._texts: Texts | None = None
        self._settings: Texts | None = None
        self._texts_seen = False  # since the files were last renewed
        self._looked = Looked(self._sources, self._opened)
        self._imports: dict[str, tuple[tuple[str, ...], frozenset[str]]] = {}
        self._models = LibraryModels(models)
        self._recorded = RecordedFacts()
        self._told: dict[tuple[str, Callable[[Source, Project], object]], object] = {}
        self.trail: set[str] = set()
        """Every file that an import asked for, found or not, since this was last cleared."""

    @classmethod
    def of(
        cls,
        home: Home,
        models: Iterable[Path],
        opened: Mapping[str, Source] | None = None,
        facts: Iterable[Path] = (),
        target: Callable[[], str | None] = _no_target,
    ) -> "Project":
        """The project that lies at `home`, with the folders of models that its configuration names
        and those that installed packages bring, the files of facts of its runs, and the version of
        the engine that it is written for."""
        project = cls(home.roots, opened, (home.folder,), target=target)
        project._models = LibraryModels(models, installed=True)
        project._recorded = RecordedFacts(facts)
        return project

    @cached_property
    def target(self) -> str | None:
        """The version of the engine that the project is written for, None where none is known."""
        return self._target()

    @contextmanager
    def aimed_at(self, target: str) -> Iterator[None]:
        """Meanwhile the project counts as written for another version of the engine."""
        before, self.target = self.target, target
        try:
            yield
        finally:
            self.target = before

    @classmethod
    def alone(cls) -> "Project":
        """The project of a single source: every import leads out of it, the disk is never read."""
        return cls(())

    def resolve(self, name: str, importer: Source, level: int = 0) -> Source | None:
        """The source that `importer` gets for `import name` or `from ..name import`.

        `level` counts the dots of a relative import; `name` may be empty then (`from . import x`
        asks for the package itself). None for what is not a file of the project, or cannot be read
        or parsed.
        """
        path = self.answer(importer.filename, name, level)
        return self._sources.of(path) if path else None

    def model(self, name: str) -> Source | None:
        """The model of a module of a library, by its dotted name; None where there is none."""
        self.trail.update(self._models.trail(name))
        return self._models.of(name)

    def recorded(self, filename: str) -> list[tuple[Key, list[Call]]]:
        """The functions of a file that runs of the project have seen, with their calls."""
        self.trail.update(self._recorded.trail)
        return self._recorded.of_file(os.path.abspath(filename))

    def leads(self, name: str, importer: str, level: int = 0) -> bool:
        """Whether an import of a file, as for `resolve`, leads to a file of the project."""
        return bool(self.answer(importer, name, level))

    def answer(self, importer: str, name: str, level: int) -> str:
        """The path of the file that answers to a name; empty where none does."""
        if not self.roots or (not name and not level):
            return ""
        path, asked = self._lookup.answer(os.path.dirname(importer), name, level)
        self.trail |= asked
        return path

    def owns(self, filename: str) -> bool:
        """Whether a file belongs to the project itself, and not to a package beside it."""
        path = Path(filename)
        return any(path.is_relative_to(folder) for folder in self._speaking)

    def imported(self, filename: str) -> tuple[str, ...]:
        """The files of the project that a file imports, wherever in it the imports stand."""
        if filename not in self._imports:
            before, self.trail = self.trail, set()
            imports = self._looked.of(filename, imports_in)
            paths = [path for one in imports for path in self._led(filename, one)]
            found = tuple(OrderedDict.fromkeys(paths))
            self._imports[filename] = found, frozenset(self.trail)
            self.trail = before
        found, asked = self._imports[filename]
        self.trail |= asked
        return found

    def reached(self, filename: str) -> Iterator[str]:
        """The files that a file imports, those that these import, and so on, the nearest first."""
        return _spread(filename, self.imported)

    def loaded(self, filename: str) -> Iterator[str]:
        """All files that are run when a file is imported, those of its own packages among them."""
        return _spread(filename, lambda path: (*self.imported(path), *self._packages(path)))

    def _packages(self, filename: str) -> tuple[str, ...]:
        """The `__init__.py` of the packages that a file lies in, the innermost first."""
        asked = self._lookup.packages(filename)
        self.trail.update(asked)
        return asked[:-1]

    def look(self, filename: str, find: Callable[[bytes], T]) -> T:
        """What `find` finds in the bytes of a file, which is looked at once."""
        return self._looked.of(filename, find)

    def _led(self, importer: str, asked: Imported) -> Iterator[str]:
        """The files that an import leads to: a module, and those that are asked of a package."""
        path = self.answer(importer, asked.module, asked.level)
        if path:
            yield path
        if not path or path.endswith("__init__.py"):
            for name in asked.names:
                inner = self.answer(importer, f"{asked.module}.{name}".strip("."), asked.level)
                if inner:
                    yield inner

    def file(self, filename: str) -> Source | None:
        """The source of a file inside of the project; None as for `resolve`."""
        path = str(Path(filename))
        if not self.roots:
            return None
        self.trail.add(path)
        return self._sources.of(filename) if self._lookup.holds(path) else None

    def told(self, filename: str, find: Callable[[Source, "Project"], T]) -> T | None:
        """What `find` finds in the source of a file inside of the project, which is read once and
        not kept for it; None where there is no source, as for `resolve`."""
        key = (filename, find)
        self.trail.add(filename)
        if key not in self._told:
            source = self._sources.lent(filename) if self._lookup.holds(filename) else None
            self._told[key] = find(source, self) if source is not None else None
        found: T | None = self._told[key]  # type: ignore[assignment]
        return found

    def mentions(self, name: str) -> list[Mention] | None:
        """Where the files of the project speak of a name; None where that cannot be told.

        That is so of a project that is too large, and of names that are all over it. Whatever
        rests on the answer rests on all files of the project, and on there being no others.
        """
        named = self._naming(name)
        if named is None:
            return None
        return [mention for one in named for mention in self._mentions(one, name)]

    def examples(self, name: str) -> list[ast.Module]:
        """The examples in docstrings of the files that speak of a name."""
        return [one for source in self.speaking(name) for one in examples_in(source)]

    def speaking(self, name: str) -> list[Source]:
        """The files that speak of a name, or define it."""
        sources = [self._sources.of(one) for one in self._naming(name) or ()]
        return [source for source in sources if source is not None]

    def settings(self, name: str) -> list[bytes]:
        """The files of settings, and the scripts of a shell, in which a name stands."""
        if not self.roots:
            return []
        if self._settings is None or self._settings.changed(self._seen):
            self._settings = Texts(self._speaking, SETTINGS)
        named = self._settings.naming(name, {}) or ()
        found = self._settings.files({})
        self.trail |= self._settings.trail
        return [found[one] for one in named]

    def offers(self, name: str) -> bool:
        """Whether a package takes a name from one of its modules, for all who import it."""
        named = self._naming(name) or ()
        tops = [one for one in named if one.endswith("__init__.py")]
        sources = [source for one in tops if (source := self._sources.of(one)) is not None]
        by_name = any(name in passed_on(source) for source in sources)
        return by_name or any(self._is_taken_whole(one, name) for one in named)

    def _is_taken_whole(self, filename: str, name: str) -> bool:
        """Whether the package around a module takes all names of it, and that one is among them."""
        folder, module = os.path.split(filename)
        package, source = self.file(os.path.join(folder, "__init__.py")), self._sources.of(filename)
        if package is None or source is None:
            return False
        whole = module.removesuffix(".py") in taken_whole(package)
        return whole and name in defined_for_all(source)

    def names(self) -> set[str]:
        """The paths of all files of the project itself, which are not read for it."""
        return self._all_texts().names() if self.roots else set()

    def files(self) -> dict[str, bytes]:
        """All files of the project itself by their paths; none where they are too many."""
        if not self.roots:
            return {}
        found = self._all_texts().files(self._opened_bytes())
        self.trail |= self._all_texts().trail
        return found

    def _naming(self, name: str) -> list[str] | None:
        """The files in which a name stands."""
        if not self.roots:
            return []
        named = self._all_texts().naming(name, self._opened_bytes())
        self.trail |= self._all_texts().trail
        return named

    def _all_texts(self) -> Texts:
        """The files of the project, read again where they have changed since."""
        if self._texts is None or (not self._texts_seen and self._texts.changed(self._seen)):
            self._texts = Texts(self._speaking)
        self._texts_seen = True
        return self._texts

    def _opened_bytes(self) -> dict[str, bytes]:
        return {path: source.text.encode() for path, source in self._opened.items()}

    def _mentions(self, filename: str, name: str) -> Iterator[Mention]:
        source = self._sources.of(filename)
        if source is not None:
            yield from mentions_in(source, name)

    def known(self, source: Source) -> Source:
        """What was read before of the same file, if its text is the same: it is parsed once."""
        return self._sources.known(source)

    def adopt(self, source: Source) -> None:
        """Let imports of a file of the project lead to this source of it, which can be parsed.

        It is kept until the next one is adopted, or longer if an import asks for it meanwhile.
        """
        if self.roots and self._lookup.holds(str(Path(source.filename))):
            self._sources.adopt(source)
        else:
            self._sources.dismiss()

    def unchanged(self, filename: str) -> AbstractContextManager[None]:
        """Sources of a file that are adopted meanwhile are forgotten in the end."""
        return self._sources.unchanged(filename)

    def renew(self) -> bool:
        """See the files as they are by now; returns whether any that was read has changed."""
        self._seen = stamps.Stamps()
        self._texts_seen = False
        self._told.clear()
        self._models.renew()
        changed = self._sources.renew()
        others = self._looked.renew()
        if self._lookup.renew():
            self._imports.clear()
        for name in others:
            self._imports.pop(name, None)
        return changed

    def state(self, paths: frozenset[str]) -> State:
        """What imports of these paths rest on. Files are seen as they were when last renewed."""
        opened = self._opened_of(paths)
        return State(paths, opened, self._seen.of_all(paths - opened.keys()))

    def stands(self, state: State) -> bool:
        """Whether imports would still find what they found when a state was taken."""
        return self._opened_of(state.paths) == state.opened and self._seen.hold(state.stamps)

    def _opened_of(self, paths: frozenset[str]) -> dict[str, Source]:
        return {path: source for path, source in self._opened.items() if path in paths}


def _spread(start: str, step: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """What steps lead to from a file, each file once, the nearest first."""
    seen, waiting = {start}, list(step(start))
    for path in waiting:
        if path not in seen:
            seen.add(path)
            yield path
            waiting.extend(step(path))
