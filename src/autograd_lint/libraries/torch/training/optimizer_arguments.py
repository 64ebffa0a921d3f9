"""What an optimizer is given to update, and what PyTorch does not take for it.

Mirrors `Optimizer.__init__` and `add_param_group` of torch/optim/optimizer.py.
"""

from __future__ import annotations

import ast

from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.values import Items, Mapping, Value


def lists_of(params: Value) -> list[Value]:
    """The sequences of parameters that an optimizer is given: one, or one a group."""
    items = params.items if isinstance(params, Items) else []
    groups = [item for item in items if isinstance(item, Mapping)]
    return [group.entries.get("params") for group in groups] if groups else [params]


def not_parameters(params: Value, node: ast.AST) -> str:
    """Why an optimizer cannot be made of `params`; empty where it can, as far as one knows.

    What was gathered one by one is not judged by its number: which of them an unknown condition
    leaves out is not known. Nor is what a `parameters` of the program itself gathers.
    """
    if isinstance(params, Tensor):
        return (
            ""
            if _may_be_list(params.node)
            else "the optimizer should be given an iterable of Tensors or dicts"
        )
    if not isinstance(params, Items) or not params.closed:
        return ""
    groups = [entries for entries in lists_of(params) if isinstance(entries, Items)]
    if any(_is_list(item) for item in params.items):
        return "optimizer can only optimize Tensors"
    if not isinstance(node, ast.Call) or not names_all(node):
        return ""
    if not params.items:
        gathered = isinstance(node.args[0], ast.Call) and not params.single_pass
        return "" if gathered else "optimizer got an empty parameter list"
    if any(isinstance(item, Mapping) for item in params.items) and not _has_groups(node.args[0]):
        return ""
    several = [{id(item) for item in group.items if isinstance(item, Tensor)} for group in groups]
    if sum(map(len, several)) > len(set().union(*several)):
        return "some parameters appear in more than one parameter group"
    return ""


def _may_be_list(node: Node | None) -> bool:
    """Whether unknown code gave what is updated, or the parts of it, which `+` joins as well."""
    if node is None or node.opaque or node.operator != "add":
        return node is not None and node.opaque
    return all(map(_may_be_list, node.edges))


def names_all(node: ast.AST | None) -> bool:
    """Whether the call of an optimizer's class leaves no doubt about what it is given."""
    return isinstance(node, ast.Call) and bool(node.args) and _spelled_out(node.args[0])


def _is_list(value: Value) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, Items) and value.kind == "list")


def _has_groups(node: ast.expr) -> bool:
    return isinstance(node, ast.List) and all(isinstance(part, ast.Dict) for part in node.elts)


def _spelled_out(node: ast.expr) -> bool:
    """Whether code names its parameters one by one, or takes all those of modules."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "parameters"
    if isinstance(node, ast.Dict):
        keys = zip(node.keys, node.values, strict=True)
        return all(_spelled_out(v) for k, v in keys if getattr(k, "value", None) == "params")
    if isinstance(node, ast.List):
        named = all(isinstance(part, (ast.Name, ast.Attribute)) for part in node.elts)
        return named or all(isinstance(p, ast.Dict) and _spelled_out(p) for p in node.elts)
    return False
