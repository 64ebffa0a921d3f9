"""What speaks for an unknown being a tensor."""

from __future__ import annotations

import ast

from autograd_lint.interpreter.machine import Interpreter
from autograd_lint.interpreter.values import Items, Slice, Value

ARRAYS = {"numpy", "pandas", "jax", "tensorflow", "scipy"}


def has_arrays(interp: Interpreter) -> bool:
    """Whether the file also works with arrays that are no tensors."""
    return interp.trait("arrays", interp.source.tree, _imports_arrays)


def _imports_arrays(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {(node.module or "").partition(".")[0]}
        else:
            continue
        if names & ARRAYS:
            return True
    return False


def indexes_arrays(index: Value) -> bool:
    """Whether only tensors and arrays can be indexed so: along several dimensions."""
    if not isinstance(index, Items) or index.kind != "tuple":
        return False
    return any(isinstance(part, Slice) or part is Ellipsis for part in index.items)
