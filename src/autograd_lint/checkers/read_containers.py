"""What a file does with a list besides adding to it: may it train on what it has gathered?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from autograd_lint.places import Place
from autograd_lint.project.code import code_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_FILLING = {"append", "clear"}
_LOOKING = {"len", "print"}  # builtins that compute nothing
_LIBRARIES = ("torch.", "np.", "numpy.", "plt.")


def may_train_on(source: Source, place: Place) -> bool:
    """Whether a statement that reads the list to which a value is added at a place runs backward,
    or hands it to code of the program: on another path than those that were run, perhaps."""
    if place.filename != source.filename:
        return True
    name = _filled_at(source, place.row)
    return name is None or any(_may_train(source, unit, name) for unit in _units(source))


def _filled_at(source: Source, row: int) -> str | None:
    """The list to which the call in a row adds."""
    calls = (call for call in source.each(ast.Call) if call.lineno == row)
    return next((code_of(one) for call in calls if (one := _filled(call)) is not None), None)


def _filled(call: ast.Call) -> ast.expr | None:
    function = call.func
    adds = isinstance(function, ast.Attribute) and function.attr in _FILLING
    return function.value if adds and isinstance(function, ast.Attribute) else None


@query
def _units(source: Source) -> list[ast.stmt]:
    """The statements of a module, of its main part too, and its functions as a whole."""
    return list(_statements(source.tree.body))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, ast.ClassDef) or _is_main(statement):
            yield from _statements(statement.body)
        else:
            yield statement


def _is_main(statement: ast.stmt) -> TypeGuard[ast.If]:
    return isinstance(statement, ast.If) and "__name__" in code_of(statement.test)


def _may_train(source: Source, unit: ast.stmt, name: str) -> bool:
    """Whether it runs backward, or hands on what it reads. A function that reads the list does."""
    nodes = list(ast.walk(unit))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    harmless = {id(_filled(call)) for call in calls}
    harmless |= {id(part) for call in calls if code_of(call.func) in _LOOKING for part in call.args}
    reads = [node for node in nodes if _names(node, name) and id(node) not in harmless]
    if not reads:
        return False
    handed = {id(part) for call in calls if not _is_library(call) for part in call.args}
    trains = isinstance(unit, ast.FunctionDef) or "backward" in source.segment(unit)
    return trains or any(id(node) in handed for node in reads)


def _names(node: ast.AST, name: str) -> bool:
    named = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    return named and code_of(node) == name


def _is_library(call: ast.Call) -> bool:
    return code_of(call.func).startswith(_LIBRARIES)
