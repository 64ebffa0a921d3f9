"""Whether a program looks something up in a module of its own by a name that it computes."""

from __future__ import annotations

import ast
from pathlib import PurePath

from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source


def is_looked_up(source: Source, project: Project) -> bool:
    """Whether some file takes what it computes the name of out of a module, or the package of one:
    `getattr(models, options.model)`."""
    asking = [one for word in ("getattr", "globals", "eval") for one in project.speaking(word)]
    parts = {*PurePath(source.filename).with_suffix("").parts}
    return any(_modules(one) & parts for one in asking)


@query
def _modules(source: Source) -> frozenset[str]:
    """The last names of the modules in which a file looks for computed names; all that it imports
    where it looks among its own names."""
    bound = {
        alias.asname or alias.name: alias.name.rpartition(".")[2]
        for one in source.imports
        for alias in one.names
    }
    found: set[str] = set()
    for call in source.each(ast.Call):
        match call:
            case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id=name), key, *_]):
                computed = not isinstance(key, ast.Constant)
                found |= {bound[name]} if computed and name in bound else set()
            case ast.Call(func=ast.Name(id="globals" | "eval")):
                found |= {part for one in source.imports for part in _names(one)}
                found.add(PurePath(source.filename).stem)
    return frozenset(found)


def _names(one: ast.Import | ast.ImportFrom) -> list[str]:
    """The last names of the modules that an import names."""
    if isinstance(one, ast.ImportFrom):
        return [(one.module or "").rpartition(".")[2], *(alias.name for alias in one.names)]
    return [alias.name.rpartition(".")[2] for alias in one.names]
