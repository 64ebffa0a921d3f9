"""What a statement reads and binds, as dotted paths: `x`, `self.hidden`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Path = str


def path_of(node: ast.AST) -> Path | None:
    """The dotted path of `a.b.c`; None for what does not start with a name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = path_of(node.value)
        return None if owner is None else f"{owner}.{node.attr}"
    return None


def reads(node: ast.AST) -> set[Path]:
    """The longest paths that are read, but for names that are bound inside, as by a lambda."""
    found: set[Path] = set()
    _collect(node, found)
    inner = set(_own_names(node))
    return {path for path in found if path.partition(".")[0] not in inner}


def _collect(node: ast.AST, found: set[Path]) -> None:
    path = path_of(node)
    if path is not None:
        if isinstance(getattr(node, "ctx", None), ast.Load):
            found.add(path)
        elif "." in path:
            found.add(path.rpartition(".")[0])
        return
    for child in ast.iter_child_nodes(node):
        _collect(child, found)
    if isinstance(node, ast.AugAssign):
        written = path_of(node.target)
        found |= {written} if written else set()


def _own_names(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.arg):
            yield inner.arg
        elif isinstance(inner, ast.comprehension):
            yield from (n.id for n in ast.walk(inner.target) if isinstance(n, ast.Name))


def binds(node: ast.AST) -> set[Path]:
    """The paths that a statement gives a new value."""
    found: set[Path] = set()
    for inner in ast.walk(node):
        if isinstance(inner, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            found.add(inner.name)
        elif isinstance(inner, (ast.Name, ast.Attribute)) and isinstance(inner.ctx, ast.Store):
            path = path_of(inner)
            found |= {path} if path else set()
        elif isinstance(inner, ast.alias):
            found.add(inner.asname or inner.name.partition(".")[0])
    return found - set(_own_names(node))


def changes(node: ast.AST) -> set[Path]:
    """The paths whose value a statement changes in place: by an item, a method, an operator."""
    found: set[Path] = set()
    for inner in ast.walk(node):
        goal: ast.AST | None = None
        if isinstance(inner, ast.Subscript) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            goal = inner.value
        elif isinstance(inner, ast.AugAssign):
            goal = inner.target
        elif isinstance(inner, ast.Call) and _changes_receiver(inner.func):
            goal = inner.func.value  # type: ignore[attr-defined]
        path = _base(goal) if goal is not None else None
        found |= {path} if path else set()
    return found


def _changes_receiver(function: ast.expr) -> bool:
    if not isinstance(function, ast.Attribute):
        return False
    name = function.attr
    return (name.endswith("_") and not name.startswith("_")) or name in ("append", "extend")


def _base(node: ast.AST) -> Path | None:
    """The path behind items, views and `data`."""
    while path_of(node) is None:
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return None
    path = path_of(node) or ""
    return path.removesuffix(".data")


def touches(path: Path, other: Path) -> bool:
    """Whether a new value of the one is a new value of the other, or of a part of it."""
    return path == other or other.startswith(f"{path}.")
