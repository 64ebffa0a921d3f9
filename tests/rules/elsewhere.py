"""The same program in other shapes: its statements in a function, or in a class that makes things
and then runs. Nothing calls either."""

from __future__ import annotations

import ast
from collections.abc import Iterable

_DEFINING = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def in_function(program: str) -> str | None:
    """The statements of a program as those of `main`; None where its definitions use its names."""
    parts = _parts(program)
    if parts is None:
        return None
    definitions, statements = parts
    return _text(definitions, [_function("main", [], statements)])


def in_class(program: str) -> str | None:
    """The first assignments of a program as the constructor of a class, and the rest as a method;
    None where its definitions use its names, or it has not both."""
    parts = _parts(program)
    if parts is None:
        return None
    definitions, statements = parts
    making = _first_assignments(statements)
    names = _bound(statements[:making])
    own = [_OfObject(names).visit(one) for one in statements]
    if not 0 < making < len(own):
        return None
    methods = [
        _function("__init__", ["self"], own[:making]),
        _function("run", ["self"], own[making:]),
    ]
    return _text(definitions, [ast.ClassDef("Job", [], [], methods, [])])


def _parts(program: str) -> tuple[list[ast.stmt], list[ast.stmt]] | None:
    """The definitions and imports of a program, and its other statements."""
    body = ast.parse(program).body
    definitions = [one for one in body if isinstance(one, _DEFINING)]
    statements = [one for one in body if not isinstance(one, _DEFINING)]
    free = _named(definitions) - _bound(definitions)
    return None if free & _bound(statements) or not statements else (definitions, statements)


def _first_assignments(statements: list[ast.stmt]) -> int:
    """How many statements only bind names, or seed a generator."""
    for count, one in enumerate(statements):
        if not isinstance(one, ast.Assign) and "manual_seed" not in ast.unparse(one):
            return count
    return len(statements)


def _named(parts: Iterable[ast.AST]) -> set[str]:
    return {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}


def _bound(parts: Iterable[ast.AST]) -> set[str]:
    """The names that some code binds, also as parameters."""
    nodes = [node for part in parts for node in ast.walk(part)]
    stored = {
        one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    return stored | {one.arg for one in nodes if isinstance(one, ast.arg)}


def _function(name: str, parameters: list[str], body: list[ast.stmt]) -> ast.FunctionDef:
    arguments = ast.arguments([], [ast.arg(one) for one in parameters], None, [], [], None, [])
    return ast.FunctionDef(name, arguments, body, [])


def _text(definitions: list[ast.stmt], rest: list[ast.stmt]) -> str:
    return ast.unparse(ast.fix_missing_locations(ast.Module([*definitions, *rest], [])))


class _OfObject(ast.NodeTransformer):
    """Makes names attributes of `self`."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.names:
            return node
        return ast.Attribute(ast.Name("self", ast.Load()), node.id, node.ctx)
