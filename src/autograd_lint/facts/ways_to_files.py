"""Whether what is run of a file may come to the code of another one, by the names it imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import TypeAlias

from autograd_lint.facts.relevance import Definition, suspects, users_of_training, words
from autograd_lint.facts.runner_entries import runner_entries
from autograd_lint.facts.users_of_imports import users_of_imports
from autograd_lint.immutable import immutable
from autograd_lint.project.importers import entered_into
from autograd_lint.project.imports import computed_in, lies_in, put_off
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

_PACKAGE = "__init__.py"
_COMPUTING = ("importlib", "import_module")  # the names by which a file imports what it computes
_BLOCKS = (ast.If, ast.Try)
_Import: TypeAlias = tuple[str, str, int, str]


@dataclass(frozen=True)
class WaysTo:
    """The names by which importers of a file lead to it: those that are `leading`, by file.

    A name leads there that is imported from the file, and one that is imported from another of
    these files, where it is defined with a name that leads there.
    """

    project: Project
    leading: Mapping[str, Set[str]]

    @classmethod
    def of(cls, target: str, importers: Set[str], project: Project) -> WaysTo:
        """The ways from `importers` of the file `target`, and over what these import that imports
        the target itself."""
        files = _files(target, importers, project)
        within = {target, *files}
        registries = {path: entered_into(path, project) for path in within}
        ways = {one: tuple(_ways(one, files[one], registries, project)) for one in files}
        outline = project.told(target, _outline)
        defined = outline.statements if outline is not None else ()
        known: dict[str, Set[str]] = dict.fromkeys(files, frozenset())
        known[target] = frozenset(name for one in defined for name in one.names)
        while True:
            before = {name: len(found) for name, found in known.items()}
            for one, imports in ways.items():
                found = {name for way in imports for name in way.leading(known, target)}
                known[one] = files[one].with_users(found)
            if before == {name: len(found) for name, found in known.items()}:
                return cls(project, known)

    def may_begin_in(self, filename: str) -> bool:
        """Whether what is run of an importer uses a name that leads to the file.

        What is run are the statements of the module and the definitions in which something may go
        wrong. These count as well where a user of such a name mentions them: it may hand them what
        the file has made.
        """
        outline = self.project.told(filename, _outline)
        if outline is None:
            return False
        users = outline.users(self.leading[filename])
        if any(one.acts for one in users):
            return True
        run = self.project.told(filename, _run) if users else None
        return run is not None and not run.isdisjoint(outline.mentioned(users))


def _files(target: str, importers: Set[str], project: Project) -> dict[str, _Outline]:
    """The files that a way may lead over, as far as they can be parsed."""
    modules = {path for path in importers if not path.endswith(_PACKAGE)}
    used = {path for one in modules for path in project.imported(one)}
    direct = {one for one in used if not one.endswith(_PACKAGE) and target in project.imported(one)}
    outlines = (
        (one, project.told(one, _outline)) for one in sorted((importers | direct) - {target})
    )
    return {one: outline for one, outline in outlines if outline is not None}


def _ways(
    filename: str, outline: _Outline, within: Mapping[str, Set[bytes]], project: Project
) -> Iterator[_Way]:
    """The imports of a file that lead to one of the files `within`, each with the registries that
    it enters what it defines into."""
    yield from _unnamed_ways(filename, outline, within, project)
    for local, module, level, name in outline.imports:
        path = project.answer(filename, module, level)
        if path in within:
            yield _Way(local, name, path)
        if name and (not path or path.endswith(_PACKAGE)):
            inner = f"{module}.{name}".strip(".")
            path = project.answer(filename, inner, level)
            if path in within:
                yield _Way(local, "", path)


def _unnamed_ways(
    filename: str, outline: _Outline, within: Mapping[str, Set[bytes]], project: Project
) -> Iterator[_Way]:
    """The imports of a file that lead to one of the files `within` which they do not name: modules
    by computed names, and a registry into which such a file enters what it defines."""
    packages = tuple(computed_in(project.files().get(filename, b"")))
    for path, registries in within.items():
        if any(lies_in(path, package) for package in packages):
            yield from (_Way(local, "", path) for local in _COMPUTING)
        for local, _, _, name in outline.imports if registries else ():
            if name.encode() in registries:
                yield _Way(local, "", path)


@immutable
class _Way:
    """An import of a `name` of the file at `path`, of all its names by a star, or of the file as a
    whole where it is empty; `local` is what it binds."""

    local: str
    name: str
    path: str

    def leading(self, known: dict[str, Set[str]], target: str) -> Set[str]:
        """The names that it binds which lead to the target, by what is known so far."""
        of_file = known.get(self.path, frozenset())
        if self.name == "*":
            return of_file
        leads = self.name in of_file if self.name else bool(of_file)
        return {self.local} if leads or self.path == target else frozenset()


@immutable
class _Statement:
    """A statement of a module: the names that it binds, the names of the module that stand in it,
    and whether it calls something when the module is run."""

    names: Set[str]
    words: Set[str]
    acts: bool = False


@immutable
class _Outline:
    """A file by its names alone: its statements that are no imports, those of its blocks by
    themselves, and what it imports, wherever in it, and what its table of lazy imports lists: the
    name that is bound, the module, the number of dots, and the name in the module, if it is none.
    """

    statements: tuple[_Statement, ...]
    imports: tuple[_Import, ...]

    def users(self, names: Set[str]) -> list[_Statement]:
        """The statements in which one of these names stands."""
        return [one for one in self.statements if not one.words.isdisjoint(names)]

    def with_users(self, leading: set[str]) -> Set[str]:
        """Some names, and those of all definitions that use one of them, directly or not."""
        found = set(leading)
        while True:
            more = {name for one in self.users(found) for name in one.names} - found
            if not more:
                return found
            found |= more

    def mentioned(self, users: list[_Statement]) -> set[str]:
        """What some statements define, and what they mention, directly or not."""
        by_name = {name: one for one in self.statements for name in one.names}
        waiting = [name for one in users for name in (*one.names, *one.words)]
        found = set[str]()
        while waiting:
            name = waiting.pop()
            if name in by_name and name not in found:
                found.add(name)
                waiting.extend(by_name[name].words)
        return found


def _run(source: Source, project: Project) -> frozenset[str]:
    """The definitions of a file that are run by themselves."""
    tested, using = runner_entries(source, project), users_of_imports(source, project)
    return frozenset((*suspects(source), *users_of_training(source), *tested, *using))


def _outline(source: Source, _: Project) -> _Outline:
    imports = tuple(_imports(source))
    statements = [one for node in _flat(source.tree.body) for one in _described(source, node)]
    bound = {name for one in statements for name in one.names}.union(one[0] for one in imports)
    if "*" in bound:
        return _Outline(tuple(statements), imports)
    kept = (_Statement(one.names, one.words & bound, one.acts) for one in statements)
    return _Outline(tuple(kept), imports)


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, _BLOCKS):
            yield from _flat([*node.body, *node.orelse])
            if isinstance(node, ast.Try):
                yield from _flat(node.finalbody)
                for handler in node.handlers:
                    yield from _flat(handler.body)
        elif not isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node


def _described(source: Source, node: ast.stmt) -> Iterator[_Statement]:
    """A statement, and each of its decorators."""
    if isinstance(node, Definition):
        for mark in node.decorator_list:
            yield _Statement(frozenset(), _words(source, mark), acts=True)
        yield _Statement(frozenset({node.name}), _words(source, node))
        return
    parts = list(ast.walk(node))
    names = [part for part in parts if isinstance(part, ast.Name)]
    stored = frozenset(name.id for name in names if isinstance(name.ctx, ast.Store))
    if len(stored) < len(names):  # it is not of constants alone, as `__all__` is
        acts = any(isinstance(part, ast.Call) for part in parts)
        yield _Statement(stored, _words(source, node), acts)


def _imports(source: Source) -> Iterator[_Import]:
    for node in source.imports:
        yield from _bound(node)
    for one in put_off(source.text.encode(errors="replace")):
        for name in one.names:
            yield name, one.module, one.level, name


def _bound(node: ast.Import | ast.ImportFrom) -> Iterator[_Import]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, node.module or "", node.level, alias.name
        else:
            yield alias.asname or alias.name.partition(".")[0], alias.name, 0, ""


def _words(source: Source, node: ast.AST) -> frozenset[str]:
    """The words of a piece of code; nobody else is going to ask for them."""
    return frozenset(words(source.segment(node)))
