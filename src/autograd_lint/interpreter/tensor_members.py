"""Attributes and methods of tensors that are more than operators."""

from __future__ import annotations

import ast
from collections.abc import Callable

from autograd_lint.engine.events import Created, Modified, Needed
from autograd_lint.engine.faults import Assumption, Fault, FaultKind
from autograd_lint.engine.inplace import write
from autograd_lint.engine.shapes import numel
from autograd_lint.engine.tensor import CERTAINLY, Storage, Tensor
from autograd_lint.engine.views import edge
from autograd_lint.interpreter.apply import apply_operator
from autograd_lint.interpreter.backward import call_backward
from autograd_lint.interpreter.calls import Call
from autograd_lint.interpreter.factories import like, refuse_dtype
from autograd_lint.interpreter.kinds import DTYPES, names_dtype
from autograd_lint.interpreter.machine import Interpreter
from autograd_lint.interpreter.values import Bound, External, Items, Unknown, Value

Method = Callable[[Interpreter, Tensor, Call], Value]

CASTS = {
    "float": "float",
    "double": "float",
    "half": "float",
    "bfloat16": "float",
    "int": "int",
    "long": "int",
    "short": "int",
    "byte": "int",
    "char": "int",
    "bool": "bool",
}
MAY_RETURN_SELF = {"to", "cpu", "cuda", "type", "contiguous", "type_as", *CASTS}
RESHAPING = ("reshape", "reshape_as", "flatten", "ravel")
VIEW_PROPERTIES = {"T", "mT", "H", "mH", "real", "imag"}


def tensor_attribute(interp: Interpreter, tensor: Tensor, name: str, node: ast.AST) -> Value:
    """`tensor.name`."""
    read = ATTRIBUTES.get(name)
    if read is not None:
        return read(interp, tensor, node)
    if name in VIEW_PROPERTIES:
        return apply_operator(interp, f"torch.Tensor.{name}", [tensor], {}, node)
    return Bound(tensor, name)


def _data(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    """`.data`: the same memory, a version counter of its own, no graph."""
    alias = Tensor(
        dtype=tensor.dtype,
        shape=tensor.shape,
        name=tensor.name,
        contiguous=tensor.contiguous,
        strides=tensor.strides,
    )
    alias.cut = _cut(interp, tensor, ".data", node)
    return alias


def _cut(interp: Interpreter, tensor: Tensor, operator: str, node: ast.AST) -> Created | None:
    """Where the graph ends, if it was there to end."""
    if tensor.requires_grad is None:
        return tensor.cut
    return Created(interp.place(node), operator)


def _grad(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    if tensor.grad is None and (interp.opaque_backward or _opaque(tensor)):
        return Unknown(interp.text(node), weight=2)
    return tensor.grad


def _opaque(tensor: Tensor) -> bool:
    return tensor.node is not None and tensor.node.opaque


def _shape(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    if tensor.shape is None:
        return Unknown(interp.text(node))
    return Items("tuple", [_size(size, node, interp) for size in tensor.shape])


def _size(size: int | None, node: ast.AST, interp: Interpreter) -> Value:
    return Unknown(interp.text(node), hint="int") if size is None else size


def _ndim(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    if tensor.shape is None:
        return Unknown(interp.text(node), hint="int")
    return len(tensor.shape)


def _requires_grad(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    requires = tensor.requires_grad
    if requires is None:
        return False
    return Unknown(interp.text(node), hint="bool") if requires else True


def _is_leaf(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    return Unknown(interp.text(node), hint="bool") if _opaque(tensor) else tensor.is_leaf


def _grad_fn(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    target = edge(interp.engine, tensor, interp.place(node))
    if target is None or target.leaf is not None:
        return None
    return Unknown(interp.text(node), hint="node")


def _dtype(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    return Unknown(interp.text(node), hint="dtype")


def _plain(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    return Unknown(interp.text(node), hint="dtype")


ATTRIBUTES: dict[str, Callable[[Interpreter, Tensor, ast.AST], Value]] = {
    "data": _data,
    "grad": _grad,
    "shape": _shape,
    "ndim": _ndim,
    "requires_grad": _requires_grad,
    "is_leaf": _is_leaf,
    "grad_fn": _grad_fn,
    "dtype": _dtype,
    "device": _plain,
    "layout": _plain,
    "is_cuda": _plain,
    "_version": _plain,
}


def set_tensor_attribute(
    interp: Interpreter, tensor: Tensor, name: str, value: Value, node: ast.AST
) -> None:
    """`tensor.name = value`."""
    if name == "requires_grad":
        set_requires_grad(interp, tensor, value, node)
    elif name == "grad":
        tensor.grad = value if isinstance(value, Tensor) else None
    elif name == "data":
        write(tensor, ".data", interp.place(node), bumps=0)


def set_requires_grad(interp: Interpreter, tensor: Tensor, value: Value, node: ast.AST) -> None:
    """`requires_grad_(value)`, which a tensor made by an operator refuses to have turned off.

    Source: `THPVariable_set_requires_grad` in torch/csrc/autograd/python_variable.cpp.
    """
    if isinstance(value, Unknown):
        value = interp.decide(value, node)
    if value and tensor.dtype in ("int", "bool"):
        refuse_dtype(interp, interp.text(node), node)
    if value and tensor.inference and not interp.engine.inference:
        _refuse_inference(interp, tensor, node)
    if _opaque(tensor):
        _settle(tensor, bool(value))
        return
    if not tensor.is_leaf:
        if not value:
            _refuse_flag(interp, tensor, node)
        return
    tensor.requires = CERTAINLY if value else None


def _refuse_inference(interp: Interpreter, tensor: Tensor, node: ast.AST) -> None:
    interp.engine.report(
        Fault(
            FaultKind.INFERENCE_TENSOR,
            interp.place(node),
            tensor=tensor.name,
            operator="requires_grad_",
            built=tensor.made,
        )
    )


def _settle(tensor: Tensor, value: bool) -> None:
    """A tensor of unknown origin becomes a leaf, as far as one may assume."""
    tensor.node = None
    leaf = Assumption(f"`{tensor.name}` is a leaf")
    tensor.requires = frozenset({leaf}) if value else None


def _refuse_flag(interp: Interpreter, tensor: Tensor, node: ast.AST) -> None:
    interp.engine.report(
        Fault(
            FaultKind.NON_LEAF_FLAG,
            interp.place(node),
            tensor=tensor.name,
            operator="requires_grad_",
            built=tensor.node.created if tensor.node else None,
            assumptions=tensor.requires_grad or CERTAINLY,
        )
    )


def tensor_method(interp: Interpreter, tensor: Tensor, name: str, call: Call) -> Value:
    """`tensor.name(...)`."""
    run = METHODS.get(name)
    if run is not None:
        return run(interp, tensor, call)
    if name in MAY_RETURN_SELF:
        return _converted(interp, tensor, name, call)
    if name.startswith("new_"):
        return like(interp, tensor, name, call)
    receiver = call.node.func if isinstance(call.node, ast.Call) else call.node
    label = interp.text(receiver.value) if isinstance(receiver, ast.Attribute) else None
    args = [tensor, *call.args]
    return apply_operator(
        interp, f"torch.Tensor.{name}", args, call.keywords, call.node, label=label
    )


def _backward(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    gradient = call.get(0, "gradient")
    options = Call([], dict(call.keywords), call.node)
    for position, keyword in enumerate(("gradient", "retain_graph", "create_graph", "inputs")):
        if position < len(call.args):
            options.keywords[keyword] = call.args[position]
    call_backward(interp, [tensor], options, gradient is not None)
    return None


def _detach(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    return Tensor(
        storage=tensor.storage,
        dtype=tensor.dtype,
        shape=tensor.shape,
        contiguous=tensor.contiguous,
        inference=tensor.inference,
        name=tensor.name,
        strides=tensor.strides,
        cut=_cut(interp, tensor, "detach", call.node),
    )


def _detach_(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    place = interp.place(call.node)
    event = Modified(place, "detach_", tensor.name, tensor.storage.version)
    if tensor.is_view:
        interp.engine.report(
            Fault(
                FaultKind.VIEW_MODIFIED,
                place,
                tensor=tensor.name,
                operator="detach_",
                detail="detach_",
                modified=event,
            )
        )
    tensor.node, tensor.requires, tensor.detached = None, None, event
    return tensor


def _other(interp: Interpreter, tensor: Tensor, call: Call, operator: str, detail: str) -> None:
    interp.engine.report(
        Fault(
            FaultKind.OTHER,
            interp.place(call.node),
            tensor=tensor.name,
            operator=operator,
            detail=detail,
            assumptions=tensor.requires_grad or CERTAINLY,
        )
    )


def _requires_grad_(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    set_requires_grad(interp, tensor, call.get(0, "requires_grad", True), call.node)
    return tensor


def _retain_grad(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    if tensor.requires_grad is None:
        interp.engine.report(
            Fault(FaultKind.RETAIN_GRAD, interp.place(call.node), tensor.name, "retain_grad")
        )
    tensor.retains_grad = True
    return None


def _numpy(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    refuse_numpy(interp, tensor, call, "numpy")
    return Unknown(interp.text(call.node), hint="array")


def refuse_numpy(interp: Interpreter, tensor: Tensor, call: Call, operator: str) -> None:
    """Report numpy's access to a tensor that requires grad."""
    requires = tensor.requires_grad
    if requires is None or call.keywords.get("force") is True or not interp.engine.grad_enabled:
        return
    interp.engine.report(
        Fault(
            FaultKind.NUMPY_ON_GRAD,
            interp.place(call.node),
            tensor=tensor.name,
            operator=operator,
            built=tensor.node.created if tensor.node else None,
            needed=Needed(interp.place(call.node), operator),
            assumptions=requires,
        )
    )


def _item(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    return Unknown(interp.text(call.node), hint="number")


def _tolist(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    if tensor.shape == ():
        return Unknown(interp.text(call.node), hint="number")
    return Items("list", [], Unknown("a number", hint="number"))


def _size_method(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    shape = _shape(interp, tensor, call.node)
    dim = call.get(0, "dim")
    if dim is None:
        return shape
    if (
        isinstance(shape, Items)
        and isinstance(dim, int)
        and -len(shape.items) <= dim < len(shape.items)
    ):
        return shape.items[dim]
    return Unknown(interp.text(call.node), hint="int")


def _numel(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    total = numel(tensor.shape)
    return Unknown(interp.text(call.node), hint="int") if total is None else total


def _dim(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    return _ndim(interp, tensor, call.node)


def _number(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    return Unknown(interp.text(call.node), hint="number")


def _refused_callback(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    name = (
        call.node.func.attr
        if isinstance(call.node, ast.Call) and isinstance(call.node.func, ast.Attribute)
        else "apply_"
    )
    if tensor.requires_grad is not None:
        _other(interp, tensor, call, name, f"Can't call {name}() on Variable that requires grad")
    write(tensor, name, interp.place(call.node), bumps=0)
    return tensor


def _resize(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
    if tensor.requires_grad is not None:
        _other(interp, tensor, call, "resize_", "cannot resize variables that require grad")
    write(tensor, "resize_", interp.place(call.node))
    return tensor


def _converted(interp: Interpreter, tensor: Tensor, name: str, call: Call) -> Value:
    """A conversion that returns the tensor itself when there is nothing to do."""
    dtype = _wanted_dtype(name, call)
    changes = _changes(interp, tensor, name, dtype, call)
    if not changes:
        return tensor
    result = apply_operator(interp, "torch.Tensor.clone", [tensor], {}, call.node)
    if isinstance(result, Tensor):
        result.dtype = dtype or tensor.dtype
        result.shape = tensor.shape
        if result.node is not None:
            result.node.operator = name
        if result.dtype in ("int", "bool"):
            result.node, result.requires = None, None
    return result


def _wanted_dtype(name: str, call: Call) -> str | None:
    if name in CASTS:
        return CASTS[name]
    for value in (*call.args, *call.keywords.values()):
        dtype = names_dtype(value)
        if dtype is not None:
            return dtype
        if isinstance(value, Tensor):
            return value.dtype
    return None


def _changes(interp: Interpreter, tensor: Tensor, name: str, dtype: str | None, call: Call) -> bool:
    if call.keywords.get("copy") is True:
        return True
    if dtype is not None and tensor.dtype is not None and dtype != tensor.dtype:
        return True
    if name == "contiguous":
        return tensor.contiguous is False
    if name == "cuda" or _names_device(call):
        return True
    return name in ("double", "half", "bfloat16") or _narrow(call)


def _names_device(call: Call) -> bool:
    """Whether another device than the CPU is asked for, or one that is not known."""
    for value in (*call.args, *call.keywords.values()):
        if isinstance(value, str) and not value.startswith("cpu"):
            return True
        if isinstance(value, Unknown) and value.hint not in ("dtype", "bool"):
            return False
    return False


def _narrow(call: Call) -> bool:
    """Whether a float dtype other than the default is asked for."""
    for value in (*call.args, *call.keywords.values()):
        if isinstance(value, External):
            name = value.path.rpartition(".")[2]
            if DTYPES.get(name) == "float" and name not in ("float", "float32"):
                return True
    return False


def _reshaped(name: str) -> Method:
    """`reshape` and its like: a view where the memory allows it, else a copy."""

    def run(interp: Interpreter, tensor: Tensor, call: Call) -> Value:
        return reshape(interp, tensor, name, call)

    return run


def reshape(interp: Interpreter, tensor: Tensor, name: str, call: Call) -> Value:
    """The reshaped tensor; where it is not known whether it is a view, nothing rests on it."""
    source = tensor
    if tensor.contiguous is not True:
        copied = apply_operator(interp, "torch.Tensor.clone", [tensor], {}, call.node)
        if not isinstance(copied, Tensor):
            return copied
        copied.shape, copied.contiguous, source = tensor.shape, True, copied
    args = [source, *call.args]
    result = apply_operator(interp, f"torch.Tensor.{name}", args, call.keywords, call.node)
    if isinstance(result, Tensor):
        result.contiguous = True
        if source is not tensor:
            result.base, result.storage = None, Storage()
    return result


METHODS: dict[str, Method] = {
    **{name: _reshaped(name) for name in RESHAPING},
    "backward": _backward,
    "detach": _detach,
    "detach_": _detach_,
    "requires_grad_": _requires_grad_,
    "retain_grad": _retain_grad,
    "numpy": _numpy,
    "item": _item,
    "tolist": _tolist,
    "size": _size_method,
    "numel": _numel,
    "nelement": _numel,
    "dim": _dim,
    "__len__": _number,
    "apply_": _refused_callback,
    "map_": _refused_callback,
    "resize_": _resize,
    "resize_as_": _resize,
}
