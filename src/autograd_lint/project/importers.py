"""Who imports a file: the files of a project whose runs may come to it, the nearest first."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from autograd_lint.project.imports import Imported, computed_in, imports_in, lies_in
from autograd_lint.project.modules import Project

MOST = 6  # importers that are named, of all that there are, packages that hand names on aside
_DEEP = 4  # imports between a file and those that come to it
_FEW = 8  # files whose importers are looked for one by one

_DEFINED = re.compile(
    rb"^(?:async def|def|class)[ \t]+(\w+)|^(?!try\b|else\b|finally\b)(\w+)[ \t]*[:=]", re.MULTILINE
)
_ENTERED = re.compile(rb"^@(\w+)\.\w+", re.MULTILINE)
_COMPUTING = b"import_module"  # the name by which what computes a name leads to a file
_PACKAGE = "__init__.py"
_BY_DOTS = re.compile(rb"\bfrom[ \t]+\.+[ \t]+import\b")


@dataclass
class Importers:
    """Answers for the files of one project; after a few of them all imports are read at once."""

    project: Project
    _asked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _named: dict[str, frozenset[bytes]] = field(default_factory=dict)

    def of(self, filename: str) -> Iterator[str]:
        """The files that import a file or import such a file, the nearest first.

        Of those that are equally near, scripts come first: they say most of what they call. What
        imports a package that hands names of the file on, or of those found before, has to mention
        one of these, what the package itself defines by them, or what they are entered into. What
        imports by computed names from the package of a file imports the file.
        """
        files = self.project.files()
        seen, level, count = {filename}, [filename], 0
        names = self._named_by(filename)
        for _ in range(_DEEP):
            modules = [target for target in level if os.path.basename(target) != _PACKAGE]
            names = names.union(*map(self._named_by, modules))
            packages = [files.get(target, b"") for target in level if target not in modules]
            names = names.union(*(_defined_by(names, data) for data in packages))
            sure = {one for target in modules for one in self._direct(target)}
            computing = {one for target in modules for one in self._by_computed_names(target)}
            sure |= computing
            names |= {_COMPUTING for _ in computing}
            found = sure.union(*map(self._direct, level)) - seen
            level = []
            for one in sorted(found, key=lambda one: (not _is_script(files[one]), one)):
                if one in sure or _mentions(files[one], names):
                    if count == MOST:
                        return
                    count += os.path.basename(one) != _PACKAGE
                    level.append(one)
                    yield one
            seen.update(level)

    def _named_by(self, filename: str) -> frozenset[bytes]:
        """The names that a module defines, and those of the registries it enters them into."""
        if filename not in self._named:
            data = self.project.files().get(filename, b"")
            found = _defined_in(data) | entered_into(filename, self.project)
            self._named[filename] = found
        return self._named[filename]

    def _direct(self, target: str) -> Iterable[str]:
        return self._searched(target) if self._is_rare(target) else self._index.get(target, ())

    def _by_computed_names(self, target: str) -> Iterator[str]:
        for package, files in self._computing.items():
            if lies_in(target, package):
                yield from files

    @cached_property
    def _computing(self) -> dict[str, list[str]]:
        """The files that import by computed names, by the packages that they import from."""
        found: dict[str, list[str]] = {}
        for one, data in self.project.files().items():
            for package in computed_in(data):
                found.setdefault(package, []).append(one)
        return found

    def _is_rare(self, target: str) -> bool:
        return target in self._asked or len(self._asked) < _FEW

    def _searched(self, target: str) -> tuple[str, ...]:
        """The files that import one, among those that may name it."""
        if target not in self._asked:
            named = (one for one, data in self.project.files().items() if _names(one, data, target))
            found = tuple(one for one in named if target in self.project.imported(one))
            self._asked[target] = found
        return self._asked[target]

    @cached_property
    def _index(self) -> dict[str, list[str]]:
        """The importers of every file."""
        found: dict[str, list[str]] = {}
        for one in self.project.files():
            for target in self.project.imported(one):
                found.setdefault(target, []).append(one)
        return found


def entered_into(filename: str, project: Project) -> frozenset[bytes]:
    """The registries of the project that decorators enter the definitions of a file into, by the
    names that it imports: who asks a registry need not name what it gives."""
    data = project.files().get(filename, b"")
    entering = {found[1] for found in _ENTERED.finditer(data)}
    if not entering:
        return frozenset()
    own = (one for one in imports_in(data) if _leads(one, filename, project))
    return frozenset(name.encode() for one in own for name in one.names) & entering


def _leads(asked: Imported, importer: str, project: Project) -> bool:
    return project.leads(asked.module, importer, asked.level)


def _names(filename: str, data: bytes, target: str) -> bool:
    """Whether the name of a module stands in a file, or a package's own file imports by dots."""
    if os.path.basename(target) != _PACKAGE:
        return os.path.splitext(os.path.basename(target))[0].encode() in data
    folder = os.path.dirname(target)
    inside = filename.startswith(folder + os.sep)
    named = os.path.basename(folder).encode() in data
    return named or (inside and _BY_DOTS.search(data) is not None)


def _is_script(data: bytes) -> bool:
    """Whether a file is one to be started."""
    return b"__main__" in data


def _defined_in(data: bytes) -> frozenset[bytes]:
    """The names that the statements at the top of a file bind."""
    return frozenset(found[1] or found[2] for found in _DEFINED.finditer(data))


def _defined_by(names: frozenset[bytes], data: bytes) -> frozenset[bytes]:
    """The names that statements at the top of a file bind in which one of some names stands, or one
    that is bound by such a statement."""
    found = list(_DEFINED.finditer(data))
    ends = [*(one.start() for one in found), len(data)][1:]
    bound = {one[1] or one[2]: data[one.end() : end] for one, end in zip(found, ends, strict=False)}
    own = {name: text for name, text in bound.items() if not name.startswith(b"__")}
    known = names
    while more := {one for one in own.keys() - known if _mentions(own[one], known)}:
        known |= more
    return known - names


def _mentions(data: bytes, names: frozenset[bytes]) -> bool:
    """Whether one of the names stands in a file as a word."""
    inside = (name for name in names if name in data)
    return any(re.search(rb"\b%b\b" % re.escape(name), data) for name in inside)
