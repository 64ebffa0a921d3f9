"""What attributes belong to: a function of a file is one of its module, and of no other object."""

from __future__ import annotations

import ast

from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source


def is_of_others(mention: Mention, module: str, project: Project) -> bool:
    """Whether an attribute is surely none of a module of the project that goes by some name.

    That is so of what a method asks its own object for, and of packages from outside.
    """
    root = _root(mention.node)
    bound = _imports(mention.source).get(root, [])
    return root in _objects(mention) or (
        bool(bound) and not any(_is_own(path, module, mention.source, project) for path in bound)
    )


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_own(path: str, module: str, source: Source, project: Project) -> bool:
    """Whether an import may lead to files of the project, some folders of which are no packages."""
    parts = path.split(".")
    if module in parts or not parts[0]:
        return True
    heads = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return any(project.resolve(head, source) is not None for head in heads)


def _objects(mention: Mention) -> set[str]:
    """The names by which the methods around a mention know their own objects."""
    methods = [
        inner
        for outer, inner in zip(mention.around, mention.around[1:], strict=False)
        if isinstance(outer, ast.ClassDef) and isinstance(inner, ast.FunctionDef)
    ]
    return {one.args.args[0].arg for one in methods if one.args.args}


@query
def _imports(source: Source) -> dict[str, list[str]]:
    """What the imports of a file bind each name to; relative ones begin with a dot."""
    found: dict[str, list[str]] = {}
    for node in source.imports:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            found.setdefault(name, []).append(_path(node, alias))
    return found


def _path(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    if isinstance(node, ast.Import):
        return alias.name
    return f"{'.' * node.level}{node.module or ''}.{alias.name}"
