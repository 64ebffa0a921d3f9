"""Tensors made of what is there: parameters, buffers, `Variable`s, arrays, values of a layout."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from autograd_lint.engine.events import Created
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.events import LeafMade
from autograd_lint.libraries.torch.modules.opaque_modules import result_of
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.tensors.conversions import converted
from autograd_lint.libraries.torch.tensors.factories import (
    asked_for,
    flagged,
    from_data,
)
from autograd_lint.libraries.torch.tensors.leaving_autograd import shared, taken
from autograd_lint.libraries.torch.tensors.parameters import parameter_of
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Unknown, Value


def _parameter(interp: Interpreter, call: Call) -> Value:
    trained = call.get(1, "requires_grad", True) is not False
    return parameter_of(interp, call.get(0, "data"), call, trained=trained)


def _uninitialized(interp: Interpreter, call: Call, *, trained: bool) -> Value:
    """A parameter or buffer whose memory is made later."""
    return Tensor(parameter=trained, requires=CERTAINLY if trained else None)


def _buffer(interp: Interpreter, call: Call) -> Value:
    return call.get(0, "data")


def _sparse(interp: Interpreter, call: Call, path: str, position: int) -> Value:
    """`torch.sparse_coo_tensor(indices, values)` and the like: the values give it its graph."""
    if as_tensor(interp, call.get(position, "values")) is None:
        values = Call([call.get(position, "values")], {}, call.node)
        return result_of(interp, Unknown(interp.text(call.node)), values)
    made = apply_operator(interp, path, call.args, call.keywords, call.node)
    if isinstance(made, Tensor) and made.requires_grad is None:
        return flagged(interp, made, call)
    return made


def _variable(interp: Interpreter, call: Call) -> Value:
    tensor = as_tensor(interp, call.get(0, "data"))
    if tensor is None:
        return Unknown(interp.text(call.node))
    wanted = call.get(1, "requires_grad", False)
    alias = Tensor(
        storage=tensor.storage, dtype=tensor.dtype, shape=tensor.shape, contiguous=tensor.contiguous
    )
    alias.requires = asked_for(interp, wanted, call.node)
    alias.graph_breaks = taken(interp, [tensor], "Variable", call)
    if alias.requires is not None:
        alias.made = Created(interp.place(call.node), "Variable")
        interp.emit(LeafMade(alias, typed=False))
    return alias


def _as_tensor(interp: Interpreter, call: Call) -> Value:
    data = call.get(0, "data")
    plain = not call.keywords and len(call.args) == 1
    if isinstance(data, Tensor):
        # A tensor keeps its graph, also where another dtype or device is asked for.
        wanted = {name: value for name, value in call.keywords.items() if name != "data"}
        return converted(interp, data, "to", Call(call.args[1:], wanted, call.node))
    if plain and isinstance(data, Unknown) and not data.tensor and data.hint != "number":
        return shared(interp, data, "as_tensor", call)
    return from_data(interp, call)


def _asarray(interp: Interpreter, call: Call) -> Value:
    """`torch.asarray`, which in some versions takes a tensor out of its graph."""
    operator = interp.world.table.find("torch.asarray")
    follows = operator is None or operator.forms[-1].continues
    if follows or not isinstance(call.get(0, "obj"), Tensor) or "requires_grad" in call.keywords:
        return _as_tensor(interp, call)
    return apply_operator(interp, "torch.asarray", call.args, call.keywords, call.node)


def _from_numpy(interp: Interpreter, call: Call) -> Value:
    return shared(interp, call.get(0, "ndarray"), "from_numpy", call)


def _from_dlpack(interp: Interpreter, call: Call) -> Value:
    """A tensor on the memory of another one, which must not require grad."""
    tensor = as_tensor(interp, call.get(0, "ext_tensor"))
    if tensor is None:
        return Unknown(interp.text(call.node))
    if tensor.requires_grad is not None:
        detail = "Can't export tensors that require gradient, use tensor.detach()"
        because = tensor.requires_grad
        refuse(interp, call.node, "from_dlpack", detail, tensor=tensor.name, assumptions=because)
    return Tensor(storage=tensor.storage.twin(), dtype=tensor.dtype, shape=tensor.shape)


WRAPPING: dict[str, Callable[[Interpreter, Call], Value]] = {
    "torch.tensor": from_data,
    "torch.as_tensor": _as_tensor,
    "torch.asarray": _asarray,
    "torch.from_numpy": _from_numpy,
    "torch.from_dlpack": _from_dlpack,
    "torch.utils.dlpack.from_dlpack": _from_dlpack,
    "torch.sparse_coo_tensor": partial(_sparse, path="torch.sparse_coo_tensor", position=1),
    "torch.sparse_csr_tensor": partial(_sparse, path="torch.sparse_csr_tensor", position=2),
    "torch.sparse_csc_tensor": partial(_sparse, path="torch.sparse_csc_tensor", position=2),
    "torch.nn.Parameter": _parameter,
    "torch.nn.Buffer": _buffer,
    "torch.nn.parameter.UninitializedParameter": partial(_uninitialized, trained=True),
    "torch.nn.parameter.UninitializedBuffer": partial(_uninitialized, trained=False),
    "torch.autograd.variable.Variable": _variable,
}
