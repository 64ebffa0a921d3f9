"""Annotations that name a tensor."""

from __future__ import annotations

import ast
from enum import Enum, auto

from autograd_lint.project.code import code_of, last_name
from autograd_lint.project.query import query

_TENSORS = {
    *("Tensor", "FloatTensor", "HalfTensor", "DoubleTensor"),
    *("torch.Tensor", "torch.FloatTensor", "torch.HalfTensor", "torch.DoubleTensor"),
}
# Classes of tensors without gradients; shapes with their dtype, as jaxtyping writes them.
_COUNTING = {"LongTensor", "IntTensor", "ShortTensor", "ByteTensor", "BoolTensor", "CharTensor"}
_SHAPED = {"Float", "Float16", "BFloat16", "Float32", "Float64", "Complex", "Num", "Inexact"}
_SHAPED_COUNTING = {"Int", "Int32", "Int64", "Integer", "UInt", "UInt8", "Bool"}


class Written(Enum):
    """What kind of tensor an annotation says that an argument is."""

    TENSOR = auto()
    COUNTING = auto()  # integers or truth values, which never require grad


@query
def tensor_written(annotation: ast.AST) -> Written | None:
    """The kind of tensor that an annotation names, with None beside it or not; None for others."""
    if (inner := _beside_none(annotation)) is not None:
        return tensor_written(inner)
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        name, parts = last_name(annotation.value), annotation.slice.elts
        first = code_of(parts[0]) if parts else ""  # `tuple[()]` has no part
        shaped = name in _SHAPED | _SHAPED_COUNTING and first in _TENSORS
        kind = Written.COUNTING if name in _SHAPED_COUNTING else Written.TENSOR
        return kind if shaped else None
    code = code_of(annotation)
    if code.removeprefix("torch.") in _COUNTING:
        return Written.COUNTING
    return Written.TENSOR if code in _TENSORS else None


def _beside_none(annotation: ast.AST) -> ast.expr | None:
    """What an annotation names beside None; None where that is not all that it says."""
    match annotation:
        case ast.Subscript(value=outer, slice=inner) if last_name(outer) == "Optional":
            return inner
        case ast.Subscript(value=outer, slice=ast.Tuple(elts=parts)) if last_name(outer) == "Union":
            return _only(parts)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _only([left, right])
    return None


def _only(parts: list[ast.expr]) -> ast.expr | None:
    """The one of two types that is not None, where the other one is."""
    others = [one for one in parts if not (isinstance(one, ast.Constant) and one.value is None)]
    return others[0] if len(parts) == 2 and len(others) == 1 else None
