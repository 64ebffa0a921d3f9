"""What the names that a file imports stand for: the dotted path of an expression."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.project.query import query
from autograd_lint.project.source import Source


def path_in(source: Source, node: ast.expr) -> str:
    """The path that a name or an attribute stands for by the imports of its file; else empty.

    `F.dropout` is `torch.nn.functional.dropout` below `import torch.nn.functional as F`.
    """
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    known = _paths(source).get(node.id) if isinstance(node, ast.Name) else None
    return ".".join([known, *reversed(parts)]) if known else ""


@query
def _paths(source: Source) -> dict[str, str]:
    """The names that a file imports, and the path of each."""
    return dict(pair for node in source.imports for pair in _bound(node))


def _bound(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            if node.module and not node.level:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"
        elif alias.asname:
            yield alias.asname, alias.name
        else:
            root = alias.name.partition(".")[0]
            yield root, root
