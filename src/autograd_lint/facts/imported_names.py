"""What a file imports, and what of that from its project."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source


@query
def names_of_imports(source: Source) -> frozenset[str]:
    """The names that the imports of a file bind."""
    return frozenset(
        alias.asname or alias.name.partition(".")[0]
        for one in source.imports
        for alias in one.names
    )


def imported_names(source: Source, project: Project) -> frozenset[str]:
    """The names that a file imports from the project, wherever in it."""
    return frozenset(_imported(source, project))


def _imported(source: Source, project: Project) -> Iterator[str]:
    for node in source.imports:
        if isinstance(node, ast.ImportFrom):
            inner = f"{node.module}." if node.module else ""
            for alias in node.names:
                names = (node.module or "", f"{inner}{alias.name}")
                if any(project.leads(name, source.filename, node.level) for name in names):
                    yield alias.asname or alias.name
        else:
            for alias in node.names:
                if project.leads(alias.name, source.filename):
                    yield alias.asname or alias.name.split(".")[0]
