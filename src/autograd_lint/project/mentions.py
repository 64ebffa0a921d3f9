"""Where the files of a project speak of a name: who calls a function, who makes an object."""

from __future__ import annotations

import ast
import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from autograd_lint import disk
from autograd_lint.project.discovery import NEVER
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.project.stamps import Stamp, Stamps

_MOST_FILES = 10_000  # of a project whose files are looked through
_MOST_BYTES = 64_000_000
_LONGEST = 200_000  # bytes of a file of settings: longer ones are data
_MOST_NAMING = 60  # files in which a name stands that still tells something


@dataclass(frozen=True)
class Mention:
    """A name in the code of a file.

    `around` are the nodes that it stands in, the outermost first; an import of the name, and its
    own definition, are no mentions.
    """

    source: Source
    node: ast.Name | ast.Attribute
    around: tuple[ast.AST, ...]


class Texts:
    """The files below some roots as bytes; `trail` is everything that was looked at for them.

    Of other files than those of Python, by their `endings`, only short ones are read.
    """

    def __init__(self, roots: Iterable[Path], endings: tuple[str, ...] = (".py",)) -> None:
        self._roots = tuple(roots)
        self._endings = endings
        self._stamps: tuple[Stamp, ...] = ()
        self._named: dict[str, frozenset[str]] = {}
        self.trail: set[str] = set()

    @cached_property
    def _files(self) -> dict[str, bytes] | None:
        found = self._read()
        self._stamps = Stamps().of_all(self.trail)
        return found

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        """The paths of all files, each once; no more than may be read."""
        paths = (path for root in self._roots for path in self._below(str(root)))
        return tuple(islice(dict.fromkeys(paths), _MOST_FILES + 1))

    def names(self) -> set[str]:
        """The paths of all files; none where they are too many."""
        return set(self._paths) if len(self._paths) <= _MOST_FILES else set()

    def _read(self) -> dict[str, bytes] | None:
        """All files by their paths; None where they are too many."""
        found: dict[str, bytes] = {}
        size = 0
        for path in self._paths:
            try:
                if not path.endswith(".py") and os.path.getsize(path) > _LONGEST:
                    continue
                found[path] = disk.read(path)
            except OSError:
                continue
            size += len(found[path])
            if len(found) > _MOST_FILES or size > _MOST_BYTES:
                return None
        return found

    def changed(self, seen: Stamps) -> bool:
        """Whether a file is another by now, is gone or is new, as far as `seen` tells."""
        return seen.of_all(self.trail) != self._stamps

    def _below(self, folder: str) -> Iterator[str]:
        self.trail.add(folder)
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return
        for entry in entries:
            if disk.is_folder(entry):
                if entry.name not in NEVER:
                    yield from self._below(entry.path)
            elif entry.name.endswith(self._endings) and disk.is_file(entry):
                self.trail.add(entry.path)
                yield entry.path

    def files(self, opened: Mapping[str, bytes]) -> dict[str, bytes]:
        """All files, those that are open as they are in `opened`; none where they are too many."""
        files = self._files or {}
        newer = {path: opened[path] for path in files.keys() & opened}
        return {**files, **newer} if newer else files

    def naming(self, name: str, opened: Mapping[str, bytes]) -> list[str] | None:
        """The files in which a name stands, those that are open as they are in `opened`."""
        if self._files is None:
            return None
        if name not in self._named:
            self._named[name] = frozenset(_holding(name, self._files))
        own = {path: opened[path] for path in self._files.keys() & opened}
        named = (self._named[name] - own.keys()) | set(_holding(name, own))
        found = [path for path in self._files if path in named]
        return found if len(found) <= _MOST_NAMING else None


def _holding(name: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """The files in which a name stands as a word."""
    wanted = name.encode()
    word = re.compile(rb"\b" + re.escape(wanted) + rb"\b")
    return (path for path, data in files.items() if wanted in data and word.search(data))


def mentions_in(source: Source, name: str) -> tuple[Mention, ...]:
    """The mentions of a name in one file, by the names that the file gives it too."""
    known = _mentions(source)
    if name not in known:
        names = {name, *(other for given, other in _renamed(source) if given == name)}
        rows = [row for row, line in enumerate(source.lines, 1) if any(n in line for n in names)]
        known[name] = tuple(_below(source, source.tree, names, rows, ()))
    return known[name]


@query
def _mentions(source: Source) -> dict[str, tuple[Mention, ...]]:
    """The mentions that were asked for in a file, by name."""
    return {}


@query
def passed_on(source: Source) -> frozenset[str]:
    """What a file imports from others by name, and does not call itself."""
    calls = source.each(ast.Call)
    called = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
    imports = source.each(ast.ImportFrom)
    return frozenset(alias.name for node in imports for alias in node.names) - called


@query
def _renamed(source: Source) -> tuple[tuple[str, str], ...]:
    """What a file imports under another name, and that name."""
    imports = source.each(ast.ImportFrom)
    aliases = (alias for node in imports for alias in node.names)
    return tuple((alias.name, alias.asname) for alias in aliases if alias.asname)


def _below(
    source: Source,
    node: ast.AST,
    names: set[str],
    rows: list[int] | None,
    around: tuple[ast.AST, ...],
) -> Iterator[Mention]:
    """The mentions in a node; `rows` are the rows of the file on which the names stand, None where
    nodes do not tell their rows: in formatted strings, before Python 3.12."""
    read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names
    asked = isinstance(node, ast.Attribute) and node.attr in names
    if isinstance(node, (ast.Name, ast.Attribute)) and (read or asked):
        yield Mention(source, node, around)
    around = (*around, node)
    rows = None if isinstance(node, ast.JoinedStr) else rows
    for child in ast.iter_child_nodes(node):
        if rows is None or _may_hold(child, rows):
            yield from _below(source, child, names, rows, around)


def _may_hold(node: ast.AST, rows: list[int]) -> bool:
    """Whether a node stands on one of some rows; decorators stand above their definitions."""
    first: int | None = getattr(node, "lineno", None)
    if first is None:
        return True
    marks: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([first, *(mark.lineno for mark in marks)])
    position = bisect_left(rows, first)
    return position < len(rows) and rows[position] <= (node.end_lineno or first)  # type: ignore[attr-defined]
