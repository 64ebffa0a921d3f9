"""What a plain name stands for in a file, as far as definitions and imports tell."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source


@dataclass(frozen=True)
class Defined:
    """A function or a class, and the file that defines it."""

    source: Source
    node: ast.FunctionDef | ast.ClassDef


def definition_of(name: str, source: Source, project: Project) -> Defined | None:
    """What the top of a file defines by a name, or imports by it from the file that defines it."""
    own = _defined(name, source)
    imports = source.each(ast.ImportFrom)
    origins = (
        (origin, name if alias.name == "*" else alias.name)
        for node in imports
        for alias in node.names
        if alias.name == "*" or (alias.asname or alias.name) == name
        if (origin := project.resolve(node.module or "", source, node.level)) is not None
    )
    found = (_defined(there, origin) for origin, there in origins)
    return own or next((one for one in found if one is not None), None)


def _defined(name: str, source: Source) -> Defined | None:
    kinds = (ast.FunctionDef, ast.ClassDef)
    own = [one for one in source.tree.body if isinstance(one, kinds) and one.name == name]
    return Defined(source, own[0]) if len(own) == 1 else None
