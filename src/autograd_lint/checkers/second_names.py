"""Which statement gives a second name to what has one: read by several checkers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.project.source import Source


def binding_of(source: Source, name: str, other: str) -> ast.stmt | None:
    """The statement that binds one of two names to what the other one means, as far as it shows."""
    bound = list(_bindings(source))
    mine = {value: node for target, value, node in bound if target == name}
    others = {value: node for target, value, node in bound if target == other}
    if other in mine:
        return mine[other]
    if name in others:
        return others[name]
    return next((node for value, node in mine.items() if value in others), None)


def is_chosen(source: Source, node: ast.AST) -> bool:
    """Whether a statement stands in a branch: then the program may mean it."""
    row = getattr(node, "lineno", 0)
    return any(
        one.lineno <= row <= (one.end_lineno or 0) and not _is_main(one)
        for one in source.each(ast.If)
    )


def _is_main(one: ast.If) -> bool:
    """Whether it is the `if __name__ == "__main__"` of a script."""
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(one.test))


def _bindings(source: Source) -> Iterator[tuple[str, str, ast.stmt]]:
    """The names that statements bind to what is no call, or to one and the same call."""
    for statement in source.each(ast.Assign):
        chained = len(statement.targets) > 1
        for target in statement.targets:
            for name, value in _parts(target, statement.value):
                if chained or isinstance(value, (ast.Name, ast.Attribute, ast.Subscript)):
                    yield ast.unparse(name), ast.unparse(value), statement


def _parts(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What an assignment binds, element by element."""
    if isinstance(value, ast.Dict):
        for key, one in zip(value.keys, value.values, strict=True):
            if key is not None:
                yield ast.Subscript(target, key), one
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(target.elts, value.elts, strict=False)
    else:
        yield target, value
