"""What speaks for an unknown being a tensor."""

from __future__ import annotations

import ast
import re

from autograd_lint.libraries.torch.modules.opaque_parameters import ITEM, module_of
from autograd_lint.project.code import code_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import ANNOTATED, Unknown, Value

_OTHER = "has methods that no tensor has"
# Methods of tensors that the table of operators does not know.
_UNMEASURED = frozenset(
    {
        *("backward", "new", "storage", "retain_grad", "register_hook", "requires_grad_"),
        *("register_post_accumulate_grad_hook", "record_stream", "reinforce", "index", "resize"),
        *("eig", "symeig", "lstsq", "solve", "smm", "sspaddmm", "is_distributed", "is_coalesced"),
        *("crow_indices", "col_indices", "ccol_indices", "row_indices", "resize_as", "map2_"),
        *("dequantize", "int_repr", "qscheme", "q_scale", "q_zero_point", "sparse_resize_"),
        *("q_per_channel_axis", "q_per_channel_scales", "q_per_channel_zero_points"),
        *("to_mkldnn", "to_padded_tensor", "to_sparse_coo", "to_sparse_csr", "to_sparse_csc"),
        *("to_sparse_bsr", "to_sparse_bsc", "storage_type", "const_data_ptr", "module_load"),
    }
)

# The line end is quickly found.
_ARRAYS = re.compile(r"\n[ \t]*(?:import|from)\s+(?:numpy|pandas|jax|tensorflow|scipy)\b")


def has_arrays(interp: Interpreter) -> bool:
    """Whether the file also works with arrays that are no tensors."""
    return interp.query(interp.source, _arrays)


@query
def _arrays(source: Source) -> bool:
    return _ARRAYS.search("\n" + source.text) is not None


def may_be_array(interp: Interpreter, value: Value) -> bool:
    """Whether something may as well be an array: not what a module is given to compute with."""
    return has_arrays(interp) and not _is_input(interp, value)


def _is_input(interp: Interpreter, value: Value) -> bool:
    """Whether the `forward` of a module runs that has been given it."""
    return any(
        frame.call is not None
        and frame.function is not None
        and frame.function.name == "forward"
        and is_module(frame.receiver)
        and any(given is value for given in (*frame.call.args, *frame.call.keywords.values()))
        for frame in interp.frames
    )


def is_parameter(interp: Interpreter, unknown: Unknown) -> bool:
    """Whether an attribute is a layer's parameter: its owner is a layer, or a part of a module, or
    it is set to one."""
    owner = unknown.parent
    if owner is None or unknown.member not in ("weight", "bias"):
        return False
    if module_of(owner) is not None or ITEM in owner.attributes:
        return True
    return _is_layer(interp, owner) or unknown.member in interp.query(
        interp.source, _set_parameters
    )


def _is_layer(interp: Interpreter, owner: Unknown) -> bool:
    """Whether the path has found it to be an instance of a class of `torch.nn`."""
    return any(
        isinstance(key, tuple)
        and key[0] == "isinstance"
        and "nn." in key[1]
        and isinstance(answer, Unknown)
        and interp.choices.found_true(answer)
        for key, answer in owner.attributes.items()
    )


@query
def _set_parameters(source: Source) -> frozenset[str]:
    """Of weight and bias those that something like `layer.bias = nn.Parameter(...)` sets."""
    names = {name for name in ("weight", "bias") if f".{name} = " in source.text}
    assigned = source.each(ast.Assign) if names else []
    return frozenset(
        target.attr
        for node in assigned
        if isinstance(node.value, ast.Call)
        and code_of(node.value.func).endswith("Parameter")
        and not any(code_of(t).startswith("self.") for t in node.targets)
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr in names
    )


def asked(interp: Interpreter, owner: Unknown, name: str) -> None:
    """A method of something unknown is called: who has others than tensors have is none."""
    tensors = name.startswith("_") or name in _UNMEASURED or ANNOTATED in owner.attributes
    if not (tensors or owner.tensor or interp.world.table.is_tensor_method(name)):
        mark_other(interp, owner)


def mark_other(interp: Interpreter, unknown: Unknown) -> None:
    """From now on something unknown is taken for no tensor."""
    if not is_other(unknown):
        interp.replaces(unknown.attributes, _OTHER)
        unknown.attributes[_OTHER] = True


def is_other(unknown: Unknown) -> bool:
    """Whether something unknown has methods that no tensor has, or is a slice of what has them."""
    return _OTHER in unknown.attributes
