"""Names of a module that its functions set."""

from __future__ import annotations

import ast

from autograd_lint.project.query import query
from autograd_lint.project.source import Source


@query
def set_by_functions(source: Source) -> frozenset[str]:
    """The names of a module that functions assign to."""
    if "global " not in source.text:
        return frozenset()
    return frozenset(name for node in source.each(ast.Global) for name in node.names)
