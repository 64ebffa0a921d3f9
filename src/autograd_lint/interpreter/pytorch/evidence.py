"""What speaks for an unknown being a tensor."""

from __future__ import annotations

import ast
import re

from autograd_lint.interpreter.machine import Interpreter
from autograd_lint.interpreter.python.code import code_of, once
from autograd_lint.interpreter.values import Items, Slice, Unknown, Value
from autograd_lint.project.source import Source

_ARRAYS = re.compile(r"^\s*(?:import|from)\s+(?:numpy|pandas|jax|tensorflow|scipy)\b", re.MULTILINE)


def has_arrays(interp: Interpreter) -> bool:
    """Whether the file also works with arrays that are no tensors."""
    source = interp.source
    return once(source.tree, "arrays", lambda _: _ARRAYS.search(source.text) is not None)


def is_parameter(interp: Interpreter, unknown: Unknown) -> bool:
    """Whether an attribute is a layer's parameter: its owner is a layer, or it is set to one."""
    owner = unknown.parent
    if owner is None or unknown.member not in ("weight", "bias"):
        return False
    return _is_layer(interp, owner) or once(
        interp.source.tree,
        f"sets parameter {unknown.member}",
        lambda tree: _sets_parameter(interp.source, tree, unknown.member),
    )


def _is_layer(interp: Interpreter, owner: Unknown) -> bool:
    """Whether the path has found it to be an instance of a class of `torch.nn`."""
    return any(
        isinstance(key, tuple)
        and key[0] == "isinstance"
        and "nn." in key[1]
        and isinstance(answer, Unknown)
        and interp.found_true(answer)
        for key, answer in owner.attributes.items()
    )


def _sets_parameter(source: Source, tree: ast.AST, name: str) -> bool:
    """Whether something like `layer.bias = nn.Parameter(...)` stands in the file."""
    if f".{name} = " not in source.text:
        return False
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and code_of(node.value.func).endswith("Parameter")
        and any(isinstance(t, ast.Attribute) and t.attr == name for t in node.targets)
        and not any(code_of(t).startswith("self.") for t in node.targets)
        for node in ast.walk(tree)
    )


def indexes_arrays(index: Value) -> bool:
    """Whether only tensors and arrays can be indexed so: along several dimensions."""
    if not isinstance(index, Items) or index.kind != "tuple":
        return False
    return any(isinstance(part, Slice) or part is Ellipsis for part in index.items)
