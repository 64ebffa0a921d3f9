"""What the annotation of an argument says of a value that nothing else is known of."""

from __future__ import annotations

import ast

from autograd_lint.project.code import code_of
from autograd_lint.vm.tensor_annotations import Written, tensor_written
from autograd_lint.vm.values import ANNOTATED, Unknown, Value

_HINTS = {
    "int": "int",
    "float": "number",
    "str": "string",
    "bool": "bool",
    **dict.fromkeys(("list[int]", "List[int]", "typing.List[int]"), "list"),
}


# Classes of torch whose objects are no tensors, nor part of a graph.
_NO_TENSORS = {"Module", "Optimizer", "DataLoader", "LRScheduler"}


def hint_of(parameter: ast.arg) -> str:
    """What an unknown argument must be by its annotation; empty where that says little."""
    return _HINTS.get(code_of(parameter.annotation), "") if parameter.annotation else ""


def _no_tensor(annotation: ast.expr) -> bool:
    """Whether an annotation, or each side of a union, names a class of torch without a graph."""
    if isinstance(annotation, ast.BinOp):
        return _no_tensor(annotation.left) and _no_tensor(annotation.right)
    return code_of(annotation).rpartition(".")[2] in _NO_TENSORS


def settle(parameter: ast.arg, value: Value) -> None:
    """Let an unknown argument be what it is annotated as, unless it was used as a tensor."""
    if not isinstance(value, Unknown) or value.hint:
        return
    if parameter.annotation and tensor_written(parameter.annotation) is Written.TENSOR:
        value.attributes[ANNOTATED] = True
    if value.tensor is None and parameter.annotation and _no_tensor(parameter.annotation):
        value.source = None
    if value.tensor is None and value.source is None:
        value.hint = hint_of(parameter)
