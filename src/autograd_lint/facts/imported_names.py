"""What a file imports from its project."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source


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
