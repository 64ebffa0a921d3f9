"""`TensorDataset` and `DataLoader`: each batch is made anew from the tensors of the data set."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import count

from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import STACKED_BY_WORKER
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import elements, tensors_in
from autograd_lint.vm.events import IterationBegun
from autograd_lint.vm.instances import call_method, has_method
from autograd_lint.vm.integers import Counter
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    DATA,
    Class,
    External,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
    by_default,
)

LOADER = "torch.utils.data.DataLoader"
DATASET = "torch.utils.data.TensorDataset"
SAMPLER = "torch.utils.data.distributed.DistributedSampler"
_BASES = {f"torch.utils.data.{name}" for name in ("Dataset", "IterableDataset")}
_BASES |= {path.replace("data.", "data.dataset.") for path in _BASES}


def given(owner: Instance, value: Value) -> Value:
    """What the `__getitem__` of an object has returned: of a data set that is data."""
    return _as_data(value) if _is_dataset(owner) else value


def _is_dataset(value: Instance) -> bool:
    """Whether an object is of a class of data sets that the program itself has."""
    bases = value.cls.external_bases() if isinstance(value.cls, Class) else []
    return any(path in _BASES for path in bases)


def _as_data(value: Value) -> Value:
    """What a data set gives, of which nothing is known: it hardly requires grad."""
    if isinstance(value, Unknown) and value.source is None:
        value.weight = DATA
    elif isinstance(value, Items):
        for item in value.items:
            _as_data(item)
    return value


def make_dataset(interp: Interpreter, call: Call) -> Value:
    """`TensorDataset(*tensors)`."""
    return Instance(External(DATASET), {"tensors": Items("tuple", list(call.args))})


def make_sampler(interp: Interpreter, call: Call) -> Value:
    """`DistributedSampler(dataset, ...)`."""
    shuffled = call.get(3, "shuffle", True)
    return Instance(External(SAMPLER), options={"shuffle": shuffled}, made_at=call.node)


def make_loader(interp: Interpreter, call: Call) -> Value:
    """`DataLoader(dataset, batch_size, ...)`."""
    attributes = {"dataset": call.get(0, "dataset"), "batch_size": call.get(1, "batch_size", 1)}
    return Instance(External(LOADER), attributes, options=dict(call.keywords), made_at=call.node)


def batches(
    interp: Interpreter, value: Instance, node: ast.AST
) -> tuple[Iterator[Value], int | None] | None:
    """What a loop over a loader gets, without end, and how many batches there are where that is
    known; None where it is not known what is in the data set."""
    _refuse_workers(interp, value, node)
    if value.cls == External(LOADER):
        interp.emit(IterationBegun(value, node))
    endless = _batches(value) or _with_graphs(interp, value, node)
    return None if endless is None else (endless, _count(value))


def _batches(value: Instance) -> Iterator[Value] | None:
    """Batches without end.

    A tensor that requires grad is left out: its batches would carry a graph.
    """
    if value.cls != External(LOADER):
        return None
    if "collate_fn" in value.options or value.attributes.get("batch_size") is None:
        return None
    dataset = value.attributes.get("dataset")
    if isinstance(dataset, Instance) and dataset.cls == External(DATASET):
        given = elements(dataset.attributes["tensors"])
    else:
        given = [dataset]
    tensors = [item for item in given if isinstance(item, Tensor) and item.requires_grad is None]
    if len(tensors) != len(given) or not tensors:
        return None
    return _endless(tensors, isinstance(dataset, Instance), value.attributes["batch_size"])


def _with_graphs(interp: Interpreter, value: Instance, node: ast.AST) -> Iterator[Value] | None:
    """Batches without end of a data set of the program that holds tensors with graphs: what is
    stacked leads back into them. None where no element is known to have one."""
    dataset = value.attributes.get("dataset")
    if value.cls != External(LOADER) or not isinstance(dataset, Instance):
        return None
    held = (one for part in dataset.attributes.values() for one in tensors_in(part))
    if not any(one.node is not None for one in held):
        return None
    if "collate_fn" in value.options or not has_method(dataset, "__getitem__"):
        return None
    if not any(one.node is not None for one in _elements(interp, dataset, node)):
        return None
    return _stacked_batches(interp, dataset, node)


def _stacked_batches(interp: Interpreter, dataset: Value, node: ast.AST) -> Iterator[Value]:
    for position in count():
        yield _stacked(interp, _element(interp, dataset, node, position), node)


def _stacked(interp: Interpreter, element: Value, node: ast.AST) -> Value:
    """A batch, as `default_collate` makes it of elements like one."""
    if isinstance(element, Tensor):
        return apply_operator(interp, "torch.stack", [Items("list", [element])], {}, node)
    if isinstance(element, Items):
        return Items("list", [_stacked(interp, one, node) for one in element.items])
    if isinstance(element, Mapping):
        parts = element.entries.items()
        return Mapping({key: _stacked(interp, one, node) for key, one in parts})
    return Unknown("a part of a batch", weight=DATA)


def _refuse_workers(interp: Interpreter, value: Instance, node: ast.AST) -> None:
    """Report a data set of tensors that require grad, gone through by worker processes.

    Source: `collate_tensor_fn` in torch/utils/data/_utils/collate.py, which stacks into shared
    memory (`out=`) in a worker.
    """
    workers = value.options.get("num_workers")
    if value.cls != External(LOADER) or not isinstance(workers, int) or workers < 1:
        return
    if "collate_fn" in value.options or value.made_at is None:
        return
    for tensor in _elements(interp, value.attributes.get("dataset"), value.made_at):
        if tensor.requires_grad is not None:
            refuse(
                interp,
                node,
                "DataLoader",
                STACKED_BY_WORKER,
                tensor=tensor.name,
                built=Created(interp.place(value.made_at), "DataLoader"),
                assumptions=tensor.requires_grad,
            )
            return


def _elements(interp: Interpreter, dataset: Value, node: ast.AST) -> Iterator[Tensor]:
    """What the elements of a data set are made of, as far as it is known."""
    if isinstance(dataset, Instance) and dataset.cls == External(DATASET):
        yield from tensors_in(dataset.attributes["tensors"])
    elif isinstance(dataset, Instance) and has_method(dataset, "__getitem__"):
        yield from tensors_in(_element(interp, dataset, node))
    elif isinstance(dataset, (Tensor, Items)):
        yield from tensors_in(dataset)


def _element(interp: Interpreter, dataset: Value, node: ast.AST, position: int = 0) -> Value:
    """One element of a data set of the program."""
    assert isinstance(dataset, Instance)
    return call_method(interp, dataset, "__getitem__", [Counter(position)], node)


def _endless(tensors: list[Tensor], several: bool, size: Value) -> Iterator[Value]:
    rows = size if isinstance(size := by_default(size), int) else None
    while True:
        batch = [_fresh(tensor, rows) for tensor in tensors]
        yield Items("list", list(batch)) if several else batch[0]


def _fresh(tensor: Tensor, rows: int | None) -> Tensor:
    shape = None if not tensor.shape else (rows, *tensor.shape[1:])
    return Tensor(dtype=tensor.dtype, shape=shape)


def _count(value: Instance) -> int | None:
    """How many batches there are, None where it is not known."""
    dataset, size = value.attributes.get("dataset"), value.attributes.get("batch_size")
    if isinstance(dataset, Instance):
        items = elements(dataset.attributes.get("tensors"))
        dataset = items[0] if items else None
    rows = dataset.shape[0] if isinstance(dataset, Tensor) and dataset.shape else None
    if rows is None or not isinstance(size, int) or size < 1:
        return None
    return rows // size if value.options.get("drop_last") is True else -(-rows // size)
