"""The results of an operator: which are views, which have a graph, their dtypes and shapes."""

from __future__ import annotations

from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.shapes import Shape, broadcast
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.views import make_view
from autograd_lint.operators.facts import AliasKind, Output


def results_of(engine: Engine, operation: Operation, node: Node | None) -> list[Tensor]:
    """The tensors that an operator gives, `node` the node that it has made if it has made one."""
    form = operation.form
    outputs = form.outputs
    if len(outputs) == 1 and operation.count != 1:
        outputs = outputs * operation.count
    return [_result(engine, operation, node, output, index) for index, output in enumerate(outputs)]


def _result(
    engine: Engine, operation: Operation, node: Node | None, output: Output, index: int
) -> Tensor:
    sources = operation.at(output.alias.key) if output.alias and output.alias.sure else []
    if not (output.alias and sources):
        return _fresh(engine, operation, node, output, index)
    source, kind = sources[0], output.alias.kind
    parted = source.dtype == "complex" and output.dtype in ("real", "float")
    if kind is AliasKind.SELF and not parted:
        return source
    if kind is AliasKind.UNVERSIONED:
        result = Tensor(storage=source.storage.twin(), dtype=source.dtype, name=source.name)
    elif kind is AliasKind.DETACHED:
        result = Tensor(storage=source.storage, dtype=source.dtype, shape=source.shape)
    else:
        result = make_view(engine, source, multi_output=kind is AliasKind.MULTI_VIEW)
    result.precision = source.precision
    if parted:
        result.dtype = "float"
    elif output.dtype not in ("same", "real", "unknown"):
        result.dtype = output.dtype
    _attach(engine, operation, result, node, output, index)
    return result


def _fresh(
    engine: Engine, operation: Operation, node: Node | None, output: Output, index: int
) -> Tensor:
    tensors = operation.tensors()
    tensor = Tensor(
        dtype=_dtype(output, tensors),
        shape=_shape(output, operation, tensors),
        precision=next((t.precision for t in tensors if t.precision), ""),
        contiguous=True if all(t.contiguous for t in tensors) else None,
        inference=engine.inference,
    )
    tensor.storage.elsewhere = any(one.storage.elsewhere for one in tensors)
    _attach(engine, operation, tensor, node, output, index)
    return tensor


def _attach(
    engine: Engine,
    operation: Operation,
    tensor: Tensor,
    node: Node | None,
    output: Output,
    index: int,
) -> None:
    tensor.made = _origin(engine, operation, tensor)
    if node is not None and output.differentiable and tensor.dtype not in ("int", "bool"):
        tensor.node, tensor.output, tensor.requires = node, index, node.requires
        return
    sources = operation.tensors()
    if any(source.requires_grad is not None for source in sources):
        tensor.cut = tensor.made if engine.recording else engine.switch or tensor.made
    else:
        tensor.cut = next((source.cut for source in sources if source.cut), None)


def _origin(engine: Engine, operation: Operation, tensor: Tensor) -> Created:
    if tensor.inference and not engine.inference:
        found = next((source.made for source in operation.tensors() if source.inference), None)
        if found is not None:
            return found
    return engine.origin(Created(operation.place, operation.operator))


def _dtype(output: Output, tensors: list[Tensor]) -> str | None:
    if output.dtype not in ("same", "real"):
        return None if output.dtype == "unknown" else output.dtype
    order = ["bool", "int", "float", "complex"]
    kinds = [tensor.dtype for tensor in tensors]
    known = [order.index(kind) for kind in kinds if kind is not None]
    if None in kinds or not known:
        return None
    promoted = order[max(known)]
    return "float" if promoted == "complex" and output.dtype == "real" else promoted


def _shape(output: Output, operation: Operation, tensors: list[Tensor]) -> Shape:
    if output.shape == "scalar":
        return ()
    if output.shape == "broadcast":
        return broadcast([tensor.shape for tensor in tensors])
    return None
