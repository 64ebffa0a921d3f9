"""Indexing tensors, and what may be one."""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.shapes.indexing import indexed
from autograd_lint.libraries.shapes.inference import lay_out
from autograd_lint.libraries.shapes.views import layout_of
from autograd_lint.libraries.torch.modules.opaque_modules import BATCH
from autograd_lint.libraries.torch.modules.opaque_parameters import ITEM, module_of
from autograd_lint.libraries.torch.operators.apply import find_operator, run_operator
from autograd_lint.libraries.torch.operators.kinds import index_kinds, kinds_of
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.tensors.evidence import is_other, mark_other, may_be_array
from autograd_lint.libraries.torch.transforms.batching import refuse_indices, refuse_length
from autograd_lint.vm.arrays import array_part, behind, indexes_arrays
from autograd_lint.vm.contents import elements
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import DATA, OBJECT, VALUE_OF, Items, Slice, Unknown, Value, constant

FULL = Slice(None, None, None)


def item(interp: Interpreter, tensor: Tensor, index: Value, node: ast.AST) -> Value:
    """`tensor[index]`."""
    kinds = {"0": kinds_of(tensor), "1": index_kinds(index)}
    refuse_indices(interp, tensor, index, node)
    if isinstance(index, Tensor) and index.dtype == "bool":
        refuse_length(interp, index, node, "indexing by a mask")
    operator = find_operator(interp, "torch.Tensor.__getitem__")
    if operator is None:
        return Unknown(interp.text(node))
    result = run_operator(interp, operator, {"0": tensor, "1": index}, node, kinds=kinds)
    if isinstance(result, Tensor) and result is not tensor:
        _shape_item(tensor, index, result)
    return result


def _shape_item(tensor: Tensor, index: Value, result: Tensor) -> None:
    before = layout_of(tensor)
    layout = indexed(before, index) if before is not None else None
    if result.base is not None:
        result.contiguous = None
        if layout is not None:
            lay_out(result, layout)
    elif layout is not None:
        result.shape = layout.shape


def store(
    interp: Interpreter, tensor: Tensor, index: Value, value: Value, node: ast.AST, label: str
) -> None:
    """`tensor[index] = value`: a write through the view that integers and slices take.

    Nothing but full slices and `...` is no view: the write is to the tensor itself.
    Source: `THPVariable_setitem` in torch/csrc/autograd/python_variable_indexing.cpp.
    """
    basic, picked = _split(index)
    target: Value = tensor
    if basic is not None:
        target = item(interp, tensor, basic, node)
    if picked is None:
        _copy_into(interp, target, value, node, label)
        return
    operator = find_operator(interp, "torch.Tensor.__setitem__")
    if operator is not None:
        kinds = {"0": kinds_of(target), "1": index_kinds(picked), "2": kinds_of(value)}
        bound = {"0": target, "1": picked, "2": value}
        run_operator(interp, operator, bound, node, label=label, kinds=kinds)


def _split(index: Value) -> tuple[Value, Value]:
    """The parts of an index that make a view, and those that pick elements; None for neither."""
    parts = elements(index, "tuple")
    basic = [FULL if _picks(part) else part for part in parts]
    picked = [part for part in parts if _picks(part)]
    viewing = any(part is not Ellipsis and part != FULL for part in basic)
    return (
        Items("tuple", basic) if viewing else None,
        Items("tuple", picked) if picked else None,
    )


def _picks(part: Value) -> bool:
    return not index_kinds(part) <= {"index-int", "index-slice"} or not index_kinds(part)


def _copy_into(interp: Interpreter, view: Value, value: Value, node: ast.AST, label: str) -> None:
    operator = find_operator(interp, "torch.Tensor.copy_")
    if operator is not None and as_tensor(interp, view) is not None:
        given = Tensor(shape=()) if isinstance(value, (int, float)) else value
        run_operator(interp, operator, {"0": view, "1": given}, node, label=label)


def unknown_item(interp: Interpreter, value: Value, index: Value, node: ast.AST) -> Value:
    """`value[index]` of what is nothing that Python knows."""
    if isinstance(value, Unknown) and value.hint == "array":
        return array_part(interp, value, index, node)
    if isinstance(value, Unknown) and value.hint == "shape" and isinstance(index, Slice):
        return Unknown(interp.text(node), "shape")
    if indexes_arrays(index) and not may_be_array(interp, value):
        tensor = as_tensor(interp, value)
        if tensor is not None:
            return item(interp, tensor, index, node)
    if isinstance(value, Unknown) and constant(index):
        given = value.put(("item", index))
        if given is not None:
            return given  # what was stored there
        found = value.derived(("item", index), interp.text(node), value.element_hint)
        if isinstance(index, str):
            found.attributes[VALUE_OF] = value
        if OBJECT in value.attributes:
            found.weight = DATA  # a module would be called
        if BATCH in value.attributes and isinstance(index, str):
            found.weight = max(found.weight, 2)  # a field of a batch, whose graph backward frees
        if module_of(value) is not None and value.source is None:
            found.attributes[ITEM] = value
        return found
    found = Unknown(interp.text(node), weight=value.weight if isinstance(value, Unknown) else 2)
    found.graph_breaks = behind([value])
    if isinstance(value, Unknown) and value.source is not None:
        found.source, found.weight = value.source, value.weight
    if isinstance(value, Unknown) and is_other(value) and _is_slice(index):
        mark_other(interp, found)
    return found


def _is_slice(index: Value) -> bool:
    """Whether an index takes a part of what it is a part of, and no single element."""
    parts = index.items if isinstance(index, Items) and index.kind == "tuple" else [index]
    return all(isinstance(part, Slice) or part is Ellipsis for part in parts)
