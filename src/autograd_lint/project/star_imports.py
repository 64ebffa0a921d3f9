"""What a file gives to those that import all of its names, and from which files one takes all."""

from __future__ import annotations

import ast

from autograd_lint.project.query import query
from autograd_lint.project.source import Source


@query
def listed(source: Source) -> frozenset[str]:
    """The names in the `__all__` of a file, as far as it spells them out."""
    found: set[str] = set()
    for node in source.tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(one, ast.Name) and one.id == "__all__" for one in targets):
            parts = (part for part in ast.walk(node) if isinstance(part, ast.Constant))
            found.update(part.value for part in parts if isinstance(part.value, str))
    return frozenset(found)


@query
def defined_for_all(source: Source) -> frozenset[str]:
    """The functions and classes of a file that `import *` takes of it."""
    definitions = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    names = {one.name for one in source.tree.body if isinstance(one, definitions)}
    public = {one for one in names if not one.startswith("_")}
    return frozenset(names & listed(source) or public)


@query
def taken_whole(source: Source) -> frozenset[str]:
    """The modules, by the last part of their names, of which a file takes all names."""
    imports = source.each(ast.ImportFrom)
    stars = (node for node in imports if any(alias.name == "*" for alias in node.names))
    return frozenset((node.module or "").rpartition(".")[2] for node in stars)
