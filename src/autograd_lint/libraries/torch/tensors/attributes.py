"""Attributes of tensors: reading and setting them."""

from __future__ import annotations

import ast
from collections.abc import Callable

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph_breaks import GraphBreaks, break_graph, joined
from autograd_lint.engine.inplace import set_data
from autograd_lint.engine.shapes import differ
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.engine.views import edge, follow_base
from autograd_lint.engine.walk import walk_order
from autograd_lint.libraries.torch.events import (
    DataSet,
    DataSetBack,
    Detached,
    GradientRead,
    GradientsCleared,
    RequiresGradSet,
)
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.tensors.absent_gradients import remember_read
from autograd_lint.libraries.torch.tensors.factories import FACTORIES, asked_for, refuse_dtype
from autograd_lint.libraries.torch.tensors.flags import ask
from autograd_lint.libraries.torch.tensors.moved_leaves import may_be_converted_leaf
from autograd_lint.libraries.torch.tensors.nodes import node_value
from autograd_lint.libraries.torch.tensors.own_attributes import OwnAttributes
from autograd_lint.libraries.torch.tensors.tensor_classes import method_of_class
from autograd_lint.libraries.torch.training.running import in_constructor
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.deciding import decide
from autograd_lint.vm.frames import handed
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.record import LentTensors
from autograd_lint.vm.values import (
    Bound,
    Items,
    Unknown,
    Value,
)

# What makes tensors of a dtype that is asked for, else of the default one.
_PLAINLY_MADE = FACTORIES | {"half", "bfloat16", "double"}

# Source: `THPVariable_properties` in torch/csrc/autograd/python_variable.cpp.
READ_ONLY = {
    "device",
    "dtype",
    "grad_fn",
    "is_leaf",
    "itemsize",
    "layout",
    "mT",
    "ndim",
    "retains_grad",
    "shape",
    "T",
}
VIEW_PROPERTIES = {"T", "mT", "H", "mH", "real", "imag"}


def tensor_attribute(interp: Interpreter, tensor: Tensor, name: str, node: ast.AST) -> Value:
    """`tensor.name`."""
    kept = interp.state(OwnAttributes).of(tensor)
    if name in kept:
        return kept[name]
    own = method_of_class(interp, tensor, name, node)
    if own is not None:
        return own
    if interp.world.table.lacks(f"torch.Tensor.{name}"):
        return Unknown(interp.text(node))
    read = ATTRIBUTES.get(name)
    if read is not None:
        return read(interp, tensor, node)
    if name in VIEW_PROPERTIES:
        return apply_operator(interp, f"torch.Tensor.{name}", [tensor], {}, node)
    if name in interp.world.table.properties:
        return Unknown(interp.text(node))
    return Bound(tensor, name, node, interp.source)


def tensor_has(interp: Interpreter, tensor: Tensor, name: str) -> bool:
    """Whether a tensor has an attribute of that name: each has it, or the program has set it."""
    if name in interp.state(OwnAttributes).of(tensor):
        return True
    return interp.world.table.is_tensor_method(name)


def _data(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    """`.data`: the same memory, a version counter of its own, no graph."""
    alias = tensor.alias(tensor.storage.twin())
    alias.name = tensor.name
    alias.cut = cut(interp, tensor, ".data", node)
    alias.graph_breaks = break_graph(interp.engine, tensor, alias.cut)
    interp.emit(Detached(tensor, alias, Created(interp.place(node), ".data")))
    return alias


def cut(interp: Interpreter, tensor: Tensor, operator: str, node: ast.AST) -> Created | None:
    """Where the graph ends, if it was there to end."""
    if tensor.requires_grad is None:
        return tensor.cut
    return Created(interp.place(node), operator)


def breaks_by(interp: Interpreter, tensor: Tensor, operator: str, node: ast.AST) -> GraphBreaks:
    """The graph breaks behind a value that `operator` takes from a tensor."""
    return break_graph(interp.engine, tensor, cut(interp, tensor, operator, node))


def _grad(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    remember_read(interp, tensor, node)
    interp.emit(GradientRead(tensor, node))
    if interp.opaque_backward or tensor.grad is not None:
        # Who works with a gradient that backward has left has the tensor require grad.
        interp.engine.assumed.proven_by_backward.update(tensor.requires_grad or ())
    if tensor.grad is None and (_opaque(tensor) or _may_have_gradient(interp, tensor)):
        return Unknown(interp.text(node), weight=2)
    if tensor.grad is not None:
        tensor.grad.made = Created(interp.place(node), ".grad")
    return tensor.grad


def _may_have_gradient(interp: Interpreter, tensor: Tensor) -> bool:
    """Whether a backward through unknown code may have reached a tensor, or it may be a leaf."""
    if may_be_converted_leaf(tensor) or tensor in interp.state(LentTensors).tensors:
        return True
    return interp.opaque_backward or bool(tensor.parameter and tensor.requires)


def _opaque(tensor: Tensor) -> bool:
    return tensor.node is not None and tensor.node.opaque


def _shape(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    if tensor.shape is None:
        return Unknown(interp.text(node), hint="shape")
    return Items("tuple", [_size(size, node, interp) for size in tensor.shape])


def _size(size: int | None, node: ast.AST, interp: Interpreter) -> Value:
    return Unknown(interp.text(node), hint="int") if size is None else size


def _ndim(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    if tensor.shape is None:
        return Unknown(interp.text(node), hint="int")
    return len(tensor.shape)


def _requires_grad(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    requires, asked = tensor.requires_grad, Unknown(interp.text(node))
    if requires and decide(interp, asked, node):
        interp.choices.path.ground(interp.choices.truths[asked], requires)
    elif requires:
        interp.engine.deny(requires)
        tensor.node, tensor.requires, tensor.base = None, None, None
    return tensor.requires_grad is not None


def _is_leaf(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    follow_base(interp.engine, tensor, interp.place(node))
    return Unknown(interp.text(node), hint="bool") if _opaque(tensor) else tensor.is_leaf


def _is_quantized(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    """What is quantized does not require grad."""
    return Unknown(interp.text(node), hint="bool") if tensor.requires_grad is None else False


def _grad_fn(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    target = edge(interp.engine, tensor, interp.place(node))
    if target is None or target.leaf is not None:
        return None
    if target.opaque:
        return Unknown(interp.text(node), hint="node")
    return node_value(target)


def _dtype(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    return Unknown(interp.text(node), hint="dtype")


def _grad_dtype(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    """`.grad_dtype`, which only leaves have."""
    _refuse_grad_dtype(interp, tensor, node, "accessed")
    return Unknown(interp.text(node), hint="dtype")


def _refuse_grad_dtype(interp: Interpreter, tensor: Tensor, node: ast.AST, done: str) -> None:
    if not tensor.is_leaf and not _opaque(tensor):
        because = tensor.requires_grad or CERTAINLY
        detail = f"grad_dtype can only be {done} on leaf tensors"
        refuse(interp, node, "grad_dtype", detail, tensor=tensor.name, assumptions=because)


def _plain(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    return Unknown(interp.text(node), hint="dtype")


def _device(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    return Unknown(interp.text(node), hint="device")


def set_tensor_attribute(
    interp: Interpreter, tensor: Tensor, name: str, value: Value, node: ast.AST
) -> None:
    """`tensor.name = value`."""
    if interp.world.table.lacks(f"torch.Tensor.{name}"):
        interp.state(OwnAttributes).keep(tensor, name, value)
        return
    if name == "requires_grad":
        if value is True and tensor.node is not None and tensor.requires_grad == CERTAINLY:
            _refuse_flag(interp, tensor, node)  # the method takes it, the attribute does not
            return
        set_requires_grad(interp, tensor, value, node)
    elif name in ("grad", "_grad"):
        _set_grad(interp, tensor, value, node)
    elif name == "data":
        _set_data(interp, tensor, value, node)
    elif name == "grad_dtype":
        _refuse_grad_dtype(interp, tensor, node, "set")
    elif name in READ_ONLY and not _opaque(tensor):
        detail = f"attribute '{name}' of tensors is not writable"
        refuse(interp, node, name, detail, tensor=tensor.name)
    elif name not in ATTRIBUTES:
        interp.state(OwnAttributes).keep(tensor, name, value)


def _set_grad(interp: Interpreter, tensor: Tensor, value: Value, node: ast.AST) -> None:
    """`tensor.grad = value`, which must be None or a tensor of the same shape."""
    detail = ""
    if isinstance(value, (bool, int, float, str)):
        kind = type(value).__name__
        detail = f"assigned grad expected to be a Tensor or None but got grad of type {kind}"
    elif isinstance(value, Tensor) and value is tensor:
        detail = "can't assign Variable as its own grad"
    elif isinstance(value, Tensor) and differ(tensor.shape, value.shape):
        detail = "attempting to assign a gradient of another size"
    elif isinstance(value, Tensor) and _of_another_dtype(interp, tensor, value):
        detail = "attempting to assign a gradient of another dtype"
    if detail:
        refuse(interp, node, "grad", detail, tensor=tensor.name)
    tensor.grad = value if isinstance(value, Tensor) else None
    if isinstance(value, Tensor) and _is_zero(value):
        interp.emit(GradientsCleared([tensor], interp.place(node)))


def _is_zero(tensor: Tensor) -> bool:
    """Whether a tensor was made of zeros, or overwritten with them last."""
    made = tensor.made.operator if tensor.made is not None else ""
    writes = tensor.storage.writes
    last = writes[-1].event.operator if writes else ""
    return last == "zero_" or (not writes and "zeros" in made)


@query
def _sets_default(source: Source) -> bool:
    return "set_default_dtype" in source.text


def _of_another_dtype(interp: Interpreter, tensor: Tensor, gradient: Tensor) -> bool:
    """Whether a gradient is no float, or both were surely made with different float dtypes."""
    if tensor.dtype == "float" and gradient.dtype in ("int", "bool"):
        return True
    if interp.query(interp.source, _sets_default):
        return False
    precisions = [
        each.precision or "float32"
        for each in (tensor, gradient)
        if each.dtype == "float" and each.made is not None and each.made.operator in _PLAINLY_MADE
    ]
    return len(set(precisions)) > 1


def _set_data(interp: Interpreter, tensor: Tensor, value: Value, node: ast.AST) -> None:
    """`tensor.data = value`: other contents, unless the value is the tensor's own memory."""
    given = tensor_of(value)
    if given is not None and given.dtype in ("int", "bool") and tensor.requires is not None:
        detail = "data set to a tensor that requires gradients must be floating point or complex"
        refuse(interp, node, "data", detail, tensor=tensor.name, assumptions=tensor.requires)
    other = set_data(tensor, given, interp.place(node))
    if given is not None:
        place = interp.place(node)
        interp.emit(DataSet(tensor, given, place) if other else DataSetBack(tensor))


def set_requires_grad(interp: Interpreter, tensor: Tensor, value: Value, node: ast.AST) -> None:
    """`requires_grad_(value)`, which a tensor made by an operator refuses to have turned off.

    Source: `THPVariable_set_requires_grad` in torch/csrc/autograd/python_variable.cpp.
    """
    known = value is None or isinstance(value, (bool, Unknown))
    wanted = asked_for(interp, value, node)
    if not known:
        _refuse_value(interp, tensor, node)
    if wanted is not None and tensor.dtype in ("int", "bool"):
        refuse_dtype(interp, tensor, interp.text(node), node, wanted)
    value = wanted is not None
    ask(interp, tensor, value, node)
    if value and tensor.inference and not interp.engine.inference:
        _refuse_inference(interp, tensor, node)
    if value and _follows_leaf(tensor):
        return  # it requires grad as it is
    if _opaque(tensor) or (value and tensor.requires_grad):
        # Whoever asks for a gradient has a tensor that had none: what was assumed was not so.
        _settle(tensor, bool(value))
        interp.emit(RequiresGradSet(tensor, interp.place(node), fresh=False))
        return
    if not tensor.is_leaf:
        if not value:
            _refuse_flag(interp, tensor, node)
        return
    tensor.requires = wanted
    interp.emit(
        RequiresGradSet(tensor, interp.place(node), fresh=value and _is_fresh(interp, tensor))
    )


def _is_fresh(interp: Interpreter, tensor: Tensor) -> bool:
    """Whether a factory made the tensor, or a constructor computed it, so that its values are
    nobody else's."""
    made = tensor.made is not None and tensor.anew is None and not in_constructor(interp)
    computed = made or tensor.base is not None or tensor.cut is not None
    return not (computed or tensor.graph_breaks or tensor.parameter)


def _refuse_value(interp: Interpreter, tensor: Tensor, node: ast.AST) -> None:
    detail = "requires_grad must be a bool"
    refuse(interp, node, "requires_grad_", detail, tensor=tensor.name)


def _version(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    if tensor.inference:
        _refuse_inference(interp, tensor, node)
    return Unknown(interp.text(node), hint="int")


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
    """A tensor of unknown origin becomes a leaf, as far as one may assume.

    The graphs that ended on the way to it lie behind the leaf then.
    """
    if tensor.node is not None:
        behind = walk_order([tensor.node], None)
        tensor.graph_breaks = joined(tensor.graph_breaks, *(node.graph_breaks for node in behind))
    tensor.node = None
    tensor.requires = _made_leaf(tensor) if value else None


def _made_leaf(tensor: Tensor) -> frozenset[Assumption]:
    return frozenset({Assumption(Kind.IS_LEAF, tensor.name or "", weight=0)})


def _follows_leaf(tensor: Tensor) -> bool:
    """Whether a tensor was computed from one that was made a leaf."""
    nodes = walk_order([tensor.node], None) if tensor.node is not None else []
    leaves = [edge.leaf for node in nodes for edge in node.edges if edge.leaf is not None]
    return any(leaf.requires == _made_leaf(leaf) for leaf in leaves)


def _refuse_flag(interp: Interpreter, tensor: Tensor, node: ast.AST) -> None:
    interp.engine.report(
        Fault(
            FaultKind.NON_LEAF_FLAG,
            interp.place(node),
            tensor=tensor.name,
            operator="requires_grad_",
            built=tensor.node.created if tensor.node else None,
            handed=handed(interp.frames, [tensor]),
            assumptions=tensor.requires_grad or CERTAINLY,
        )
    )


ATTRIBUTES: dict[str, Callable[[Interpreter, Tensor, ast.AST], Value]] = {
    "data": _data,
    "grad": _grad,
    "_grad": _grad,
    "shape": _shape,
    "ndim": _ndim,
    "requires_grad": _requires_grad,
    "is_leaf": _is_leaf,
    "is_quantized": _is_quantized,
    "grad_fn": _grad_fn,
    "dtype": _dtype,
    "grad_dtype": _grad_dtype,
    "device": _device,
    "layout": _plain,
    "is_cuda": _plain,
    "_version": _version,
}
