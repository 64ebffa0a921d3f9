"""The methods of a module that run when it is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.facts.body import Function, called_on_self, method_of, methods_of
from autograd_lint.project.source import Source


def forward_methods(source: Source, cls: ast.ClassDef) -> Iterator[Function]:
    """The `forward` of a module, and the methods that it calls."""
    forward = method_of(cls, "forward")
    if forward is not None:
        yield forward
        used = called_on_self(source, forward)
        yield from (one for one in methods_of(cls) if one.name in used - {"forward"})
