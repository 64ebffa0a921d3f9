"""The gradients that the `backward` of a custom Function is given, and does not read."""

from __future__ import annotations

import ast

from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

# Attributes and methods that tell the form of a tensor, or make another one of the same dtype.
_FORMAL = frozenset(
    {"shape", "size", "dtype", "device", "layout", "dim", "ndim", "numel", "is_cuda",
     "new_ones", "new_full", "new_tensor", "requires_grad"}
)  # fmt: skip
_LIKENESSES = frozenset({"ones_like", "full_like", "rand_like", "randn_like"})


@query
def unread_gradients(_: Source, backward: ast.AST) -> tuple[str | None, ...] | None:
    """Of the gradients that `backward` is given the names of those whose values it does not read,
    and None for others; None instead if it reads none of them.

    Reading a gradient's size, dtype or device leaves the chain rule out just the same. Zeros in its
    likeness are a gradient that is meant to be cut, and so is what is called `_`.
    """
    if not isinstance(backward, ast.FunctionDef) or backward.args.vararg is not None:
        return ()
    given = [one.arg for one in backward.args.args[1:]]
    formal = {id(part) for node in walk(backward) for part in asked_for_form(node)}
    names = (one for one in walk(backward) if isinstance(one, ast.Name))
    read = {one.id for one in names if id(one) not in formal}
    if given and read.isdisjoint(given):
        return None
    return tuple(None if one in read or one.startswith("_") else one for one in given)


def asked_for_form(node: ast.AST) -> list[ast.expr]:
    """What an expression asks for its form alone: size, dtype or device, or whether it is there."""
    if isinstance(node, ast.Attribute) and node.attr in _FORMAL:
        return [node.value]
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        return [node.left]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in _LIKENESSES or name.endswith("_as"):
            return node.args[:1]
    return []
