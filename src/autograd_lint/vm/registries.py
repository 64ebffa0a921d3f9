"""Registries: tables that the modules of a program fill with their own functions and classes.

A decorator or a call at the top of a module enters a definition into a table of another one. That
happens when the modules are imported; here it happens when a table is asked for what it does not
hold, for there may be thousands of definitions that nothing asks for. Only modules that the file
that is analysed imports, itself or by way of others, can have entered anything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from autograd_lint.engine.machine import EngineError
from autograd_lint.project.code import root_of
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.control import Control, ProgramRaises
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.imports import BUDGET, module_of_file, settled
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.scope import Scope
from autograd_lint.vm.values import (
    DATA,
    Class,
    Function,
    Instance,
    Mapping,
    Module,
    Unknown,
    Value,
)

_MOST_FILES = 40  # in which an entry of a table is looked for
_MOST_FILES_OF_ALL = 12  # in which all entries of a table are looked for
_MOST_ENTRIES = 60  # that are made for one question
_WORD = re.compile(rb"\w+")
# What stands between words, as blanks: some times faster than a pattern.
_BETWEEN = bytes(one if _WORD.match(bytes([one])) else ord(" ") for one in range(256))
_HEADS = (b"class ", b"def ", b"async def ")
_EVERYTHING = object()  # the key of a question about a whole table

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Block = (ast.If, ast.Try, ast.With, ast.For)


@dataclass(frozen=True)
class Entering:
    """A statement at the top of a module that may enter something into a table.

    `roots` are the names that its decorators, calls or targets begin with, `words` what it may be
    entered under, in lower case.
    """

    statement: ast.stmt
    roots: frozenset[str]
    words: frozenset[str]


def begin(interp: Interpreter, table: Mapping) -> Mapping:
    """Mark a dictionary that is being made as a table that others may fill: one of a module, of a
    class, or of an object that a module makes."""
    frames = reversed(interp.frames)
    inner = next((f for f in frames if f.function is None or f.function.name != "__init__"), None)
    if inner is not None and inner.function is None and not inner.inner:
        table.home = inner.source.filename
    return table


def complete(interp: Interpreter, table: Mapping, key: Value | object = _EVERYTHING) -> None:
    """Enter into a table what the modules of the program put there under `key`, or at all."""
    if table.home is None or table.rest is not None:
        return
    known = interp.world.imported.registries.setdefault(table, set())
    asked = key.lower() if isinstance(key, str) else _EVERYTHING
    if asked in known or _EVERYTHING in known:
        return
    if asked is _EVERYTHING and len(_near(interp, table.home)) > _MOST_FILES_OF_ALL:
        table.rest = Unknown("an entry", weight=DATA)
        return
    known.add(_EVERYTHING)  # while entries are made, nothing is looked for
    entered, word = 0, asked if isinstance(asked, str) else None
    for source in _sources(interp, table.home, word):
        for one in _statements(interp, source, word):
            if entered < _MOST_ENTRIES:
                entered += _enter(interp, source, one, table)
    known.discard(_EVERYTHING)
    known.add(asked)


def _statements(interp: Interpreter, source: Source, word: str | None) -> Iterator[Entering]:
    """The statements of a file that may enter something; of the file that is analysed, which is
    run as a whole, only definitions, for their decorators are left out there."""
    own = source is interp.world.source
    for one in _entering(source):
        named = word is None or word in one.words
        if named and (not own or isinstance(one.statement, Definition)):
            yield one


def _sources(interp: Interpreter, home: str, word: str | None) -> Iterator[Source]:
    """The files that may fill a table of `home`, those alone that hold a word if one is given."""
    project, own = interp.world.project, interp.world.source
    near = _near(interp, home)
    holding = [path for path in near if word is None or _holds(interp, path, word)]
    for path in holding[:_MOST_FILES]:
        if path == own.filename:
            yield own
        elif word is None or _stands_at_top(project, path, word):
            source = project.file(path)
            if source is not None:
                yield source


def _stands_at_top(project: Project, path: str, word: str) -> bool:
    """Whether a key may stand at the top of a file: else that is not parsed. One that is a word
    stands there as a word."""
    key = word.encode()
    if _WORD.fullmatch(key):
        return key in project.look(path, _words_at_top)
    return not word.isascii() or key in project.look(path, _top_of)


def _words_at_top(data: bytes) -> frozenset[bytes]:
    return _words_of(_top_of(data))


def _top_of(data: bytes) -> bytes:
    """The lines of a module that stand in no definition at its top, in lower case."""
    kept: list[bytes] = []
    inside = False
    for line in data.lower().split(b"\n"):
        if line[:1].strip():  # it begins at the margin
            inside = line.startswith(_HEADS) or (inside and line.startswith(b")"))
            kept.append(line)
        elif not inside:
            kept.append(line)
    return b"\n".join(kept)


def _near(interp: Interpreter, home: str) -> tuple[str, ...]:
    """The files near to `home` among those that the file that is analysed loads, and itself.

    Those are `home` and what imports it directly or by way of one other.
    """
    found = interp.world.imported.near.get(home)
    if found is None:
        imported = interp.world.imports
        importers = set(_importers(interp, home, imported))
        found = tuple(
            path
            for path, paths in imported.items()
            if path == home or path in importers or not importers.isdisjoint(paths)
        )
        interp.world.imported.near[home] = found
    return found


def _importers(
    interp: Interpreter, home: str, imported: dict[str, tuple[str, ...]]
) -> Iterator[str]:
    """The files that import `home`; of a model of a library, those that speak of the library."""
    module = interp.modules.get(home)
    library = module.source.stands_for.partition(".")[0] if module is not None else ""
    for path, paths in imported.items():
        if home in paths or (library and _holds(interp, path, library)):
            yield path


def _holds(interp: Interpreter, path: str, word: str) -> bool:
    """Whether all parts of a key stand in a file, in whatever case."""
    own = interp.world.source
    found = _own_words(own) if path == own.filename else interp.world.project.look(path, _words_of)
    return found.issuperset(_WORD.findall(word.encode()))


@query
def _own_words(source: Source) -> frozenset[bytes]:
    return _words_of(source.text.encode(errors="replace"))


def _words_of(data: bytes) -> frozenset[bytes]:
    return frozenset(data.lower().translate(_BETWEEN).split())


@query
def _entering(source: Source) -> tuple[Entering, ...]:
    """The statements of a module that may enter something into a table, in order."""
    return tuple(_entering_in(source.tree.body))


def _entering_in(body: list[ast.stmt]) -> Iterator[Entering]:
    for node in body:
        if isinstance(node, Definition):
            if node.decorator_list:
                yield _described(node, node.decorator_list, {node.name})
        elif isinstance(node, Block):
            yield from _entering_in(node.body)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield _described(node, [node.value.func], set(), node.value)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            yield _described(node, [node.targets[0]], set(), node.targets[0])


def _described(
    node: ast.stmt, leading: list[ast.expr], words: set[str], texts: ast.AST | None = None
) -> Entering:
    parts = [part for one in (*leading, *([texts] if texts else ())) for part in ast.walk(one)]
    names = {part.value for part in parts if isinstance(part, ast.Constant)}
    named = {part.id for part in parts if isinstance(part, ast.Name)}
    found = {one for one in (*words, *names, *named) if isinstance(one, str)}
    roots = frozenset(filter(None, map(root_of, leading)))
    return Entering(node, roots, frozenset(one.lower() for one in found))


def _enter(interp: Interpreter, source: Source, one: Entering, table: Mapping) -> bool:
    """Run a statement that may fill a table; whether it was run."""
    module = module_of_file(interp, source)
    scope = module.scope
    done = False
    with (
        interp.engine.mode(grad=True, inference=False),
        interp.aside(BUDGET),
        interp.activation(Frame(scope, source)),
        suppress(Control, ProgramRaises, EngineError),
    ):
        if any(_fills(_value(interp, scope, name), table) for name in one.roots):
            _run(interp, scope, one.statement)
            done = True
    return done


def _value(interp: Interpreter, scope: Scope, name: str) -> Value:
    """What a name of a module is bound to; None for a name that it does not bind."""
    if name in scope.names:
        return settled(interp, scope, name)
    return interp.evaluate(ast.Name(name, ast.Load())) if scope.stars else None


def _fills(root: Value, table: Mapping) -> bool:
    """Whether what stands at the root of a statement has to do with a table."""
    if root is table:
        return True
    if isinstance(root, Instance):
        own = root.attributes.values()
        return any(value is table for value in own) or _is_at_home(root.cls, table)
    return isinstance(root, Module) or _is_at_home(root, table)


def _is_at_home(value: Value, table: Mapping) -> bool:
    return isinstance(value, (Function, Class)) and value.source.filename == table.home


def _run(interp: Interpreter, scope: Scope, statement: ast.stmt) -> None:
    if not isinstance(statement, Definition):
        interp.run_block([statement])
        return
    value = _value(interp, scope, statement.name)
    for decorator in reversed(statement.decorator_list):
        call_value(interp, interp.evaluate(decorator), Call([value], {}, decorator))
