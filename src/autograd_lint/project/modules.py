"""Imports across the files of a project: from a dotted name to the file that answers to it."""

import ast
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from autograd_lint import disk
from autograd_lint.observed.calls import Call, Key
from autograd_lint.project import reading, stamps
from autograd_lint.project.examples import examples_in
from autograd_lint.project.imports import Imported, imports_in
from autograd_lint.project.library_models import LibraryModels
from autograd_lint.project.mentions import Mention, Texts, imported_names, mentions_in
from autograd_lint.project.recorded_facts import RecordedFacts
from autograd_lint.project.roots import Home, package_top
from autograd_lint.project.source import Source
from autograd_lint.project.star_imports import defined_for_all, taken_whole

T = TypeVar("T")

_MOST_CHARACTERS = 4_000_000  # of sources kept; their trees take some 40 bytes a character


def _no_target() -> None:
    """For a project of which nobody knows what version of the engine it is written for."""


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
        self._resolved = tuple(root.resolve() for root in self.roots)
        self._searched = tuple(str(one) for root in self.roots for one in (root, root / "src"))
        self._answers: dict[tuple[str, str, int], tuple[str, frozenset[str]]] = {}
        self._found: dict[str, bool] = {}
        self._read: OrderedDict[str, Source | None] = OrderedDict()
        self._guest = ""  # the source adopted last, while no import has asked for it
        self._characters = 0
        self._tops: dict[str, str] = {}
        self._lookups: dict[str, tuple[str, ...]] = {}
        self._inits: dict[str, tuple[str, ...]] = {}
        self._stamps: dict[str, stamps.Stamp] = {}
        self._seen = stamps.Stamps()
        self._texts: Texts | None = None
        self._texts_seen = False  # since the files were last renewed
        self._imports: dict[str, tuple[tuple[str, ...], frozenset[str]]] = {}
        self._models = LibraryModels(models)
        self._recorded = RecordedFacts()
        self._looked: dict[tuple[str, Callable[[bytes], object]], object] = {}
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
        path = self._answer(importer.filename, name, level)
        return self._source(path) if path else None

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
        return bool(self._answer(importer, name, level))

    def _answer(self, importer: str, name: str, level: int) -> str:
        """The path of the file that answers to a name; empty where none does."""
        if not self.roots or (not name and not level):
            return ""
        question = (os.path.dirname(importer), name, level)
        if question not in self._answers:
            self._answers[question] = self._search(*question)
        path, asked = self._answers[question]
        self.trail |= asked
        return path

    def _search(self, directory: str, name: str, level: int) -> tuple[str, frozenset[str]]:
        """The file that answers to a name in the files of a folder, if any, and all that were asked
        for on the way."""
        before, self.trail = self.trail, set()
        parts = name.split(".") if name else []
        bases = self._bases(os.path.abspath(directory), level)
        found = (path for base in bases if (path := self._file(base, parts)) is not None)
        answer = next(found, "")
        asked, self.trail = frozenset(self.trail), before
        return answer, asked

    def owns(self, filename: str) -> bool:
        """Whether a file belongs to the project itself, and not to a package beside it."""
        path = Path(filename)
        return any(path.is_relative_to(folder) for folder in self._speaking)

    def imported(self, filename: str) -> tuple[str, ...]:
        """The files of the project that a file imports, wherever in it the imports stand."""
        if filename not in self._imports:
            before, self.trail = self.trail, set()
            data = self._data(filename)
            paths = [path for one in imports_in(data) for path in self._led(filename, one)]
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
        directory = os.path.dirname(filename)
        if directory not in self._inits:
            inside = [str(parent / "__init__.py") for parent in Path(filename).parents]
            missing = next(
                (n for n, path in enumerate(inside) if not self._holds(path)), len(inside)
            )
            self._inits[directory] = tuple(inside[: missing + 1])
        asked = self._inits[directory]
        self.trail.update(asked)
        return asked[:-1]

    def look(self, filename: str, find: Callable[[bytes], T]) -> T:
        """What `find` finds in the bytes of a file, which is looked at once."""
        key = (filename, find)
        if key not in self._looked:
            self._looked[key] = find(self._data(filename))
        found: T = self._looked[key]  # type: ignore[assignment]
        return found

    def _led(self, importer: str, asked: Imported) -> Iterator[str]:
        """The files that an import leads to: a module, and those that are asked of a package."""
        path = self._answer(importer, asked.module, asked.level)
        if path:
            yield path
        if not path or path.endswith("__init__.py"):
            for name in asked.names:
                inner = self._answer(importer, f"{asked.module}.{name}".strip("."), asked.level)
                if inner:
                    yield inner

    def _data(self, filename: str) -> bytes:
        """The bytes of a file; none where it cannot be read."""
        source = self._opened.get(filename) or self._read.get(filename)
        if source is not None:
            return source.text.encode(errors="replace")
        try:
            return disk.read(filename)
        except OSError:
            return b""

    def file(self, filename: str) -> Source | None:
        """The source of a file inside of the project; None as for `resolve`."""
        return self._source(filename) if self.roots and self._exists(str(Path(filename))) else None

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
        sources = [self._source(one) for one in self._naming(name) or ()]
        return [source for source in sources if source is not None]

    def offers(self, name: str) -> bool:
        """Whether a package takes a name from one of its modules, for all who import it."""
        named = self._naming(name) or ()
        tops = [one for one in named if one.endswith("__init__.py")]
        sources = [source for one in tops if (source := self._source(one)) is not None]
        by_name = any(name in imported_names(source) for source in sources)
        return by_name or any(self._is_taken_whole(one, name) for one in named)

    def _is_taken_whole(self, filename: str, name: str) -> bool:
        """Whether the package around a module takes all names of it, and that one is among them."""
        folder, module = os.path.split(filename)
        package, source = self.file(os.path.join(folder, "__init__.py")), self._source(filename)
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
        source = self._source(filename)
        if source is not None:
            yield from mentions_in(source, name)

    def known(self, source: Source) -> Source:
        """What was read before of the same file, if its text is the same: it is parsed once."""
        before = self._read.get(source.filename)
        return before if before is not None and before.text == source.text else source

    def adopt(self, source: Source) -> None:
        """Let imports of a file of the project lead to this source of it, which can be parsed.

        It is kept until the next one is adopted, or longer if an import asks for it meanwhile.
        """
        if self._guest in self._read:
            self._drop(self._guest, self._read.pop(self._guest))
        self._guest = ""
        inside = self.roots and self._holds(str(Path(source.filename)))
        if inside and source.filename not in self._opened:
            asked = source.filename in self._read
            self._keep(source.filename, source)
            self._guest = "" if asked else source.filename

    @contextmanager
    def unchanged(self, filename: str) -> Iterator[None]:
        """Sources of a file that are adopted meanwhile are forgotten in the end."""
        before = self._read.get(filename)
        try:
            yield
        finally:
            if before is not None:
                self._keep(filename, before)

    def renew(self) -> bool:
        """See the files as they are by now; returns whether any that was read has changed."""
        self._seen = stamps.Stamps()
        self._texts_seen = False
        self._answers.clear()
        self._imports.clear()
        self._looked.clear()
        self._found.clear()
        self._tops.clear()
        self._lookups.clear()
        self._inits.clear()
        self._models.renew()
        changed = [name for name in self._read if stamps.stamp_of(name) != self._stamps[name]]
        for name in changed:
            self._drop(name, self._read.pop(name))
        return bool(changed)

    def state(self, paths: Iterable[str]) -> object:
        """What is another once an import of any of `paths` would find something else.

        Files are seen as they were when they were last renewed.
        """
        paths = frozenset(paths)
        opened = {path: self._opened[path] for path in paths & self._opened.keys()}
        return opened, self._seen.of_all(paths - opened.keys())

    def _bases(self, directory: str, level: int) -> tuple[str, ...]:
        """Where a name is looked up, in Python's order as far as the files tell it."""
        if level:
            return _above(directory, level - 1)
        top = self._top(directory)
        if directory not in self._lookups:
            # Among them the folder itself: a script inside of a package is started by its path.
            folders = (top, *self._searched, directory, *self._around(Path(top)))
            self._lookups[directory] = tuple(OrderedDict.fromkeys(folders))
        return self._lookups[directory]

    def _around(self, top: Path) -> Iterator[str]:
        """The folders around a package or script inside of the roots, the nearest first: whoever
        imports it may be a script there."""
        for root in self.roots:
            if root in top.parents:
                yield from (str(one) for one in top.parents if root in one.parents)

    def _top(self, directory: str) -> str:
        if directory not in self._tops:
            self._tops[directory] = str(package_top(Path(directory)))
        top = self._tops[directory]
        self.trail.add(os.path.join(directory, "__init__.py"))
        self.trail.add(os.path.join(top, "__init__.py"))
        return top

    def _file(self, base: str, parts: list[str]) -> str | None:
        target = os.sep.join((base, *parts))
        package = f"{target}{os.sep}__init__.py"
        if self._exists(package):
            return package
        module = f"{target}.py"
        return module if parts and self._exists(module) else None

    def _exists(self, path: str) -> bool:
        self.trail.add(path)
        return self._holds(path)

    def _holds(self, path: str) -> bool:
        if path not in self._found:
            self._found[path] = path in self._opened or self._on_disk(path)
        return self._found[path]

    def _on_disk(self, path: str) -> bool:
        if not os.path.isfile(path):
            return False
        real = Path(path).resolve()
        return any(real.is_relative_to(root) for root in self._resolved)

    def _source(self, filename: str) -> Source | None:
        opened = self._opened.get(filename)
        if opened is not None:
            return opened
        if filename == self._guest:
            self._guest = ""
        if filename not in self._read:
            self._keep(filename, reading.parsed(filename))
        self._read.move_to_end(filename)
        return self._read[filename]

    def _keep(self, filename: str, source: Source | None) -> None:
        if filename in self._read:
            self._drop(filename, self._read.pop(filename))
        self._stamps[filename] = stamps.stamp_of(filename)
        self._read[filename] = source
        self._characters += len(source.text) if source else 0
        self._forget()

    def _forget(self) -> None:
        while self._characters > _MOST_CHARACTERS and len(self._read) > 1:
            self._drop(*self._read.popitem(last=False))

    def _drop(self, filename: str, source: Source | None) -> None:
        del self._stamps[filename]
        self._characters -= len(source.text) if source else 0


def _above(directory: str, levels: int) -> tuple[str, ...]:
    """The folder so many levels above another, if there are as many."""
    for _ in range(levels):
        directory, below = os.path.dirname(directory), directory
        if directory == below:
            return ()
    return (directory,)


def _spread(start: str, step: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """What steps lead to from a file, each file once, the nearest first."""
    seen, waiting = {start}, list(step(start))
    for path in waiting:
        if path not in seen:
            seen.add(path)
            yield path
            waiting.extend(step(path))
