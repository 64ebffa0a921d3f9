"""Views: how they are made, and how their graph edge follows in-place work on the base.

Mirrors `as_view`, `VariableHooks::grad_fn` and `handle_view_on_rebase` of
torch/csrc/autograd/variable.cpp and VariableTypeUtils.h.
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Modified
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import leaf_node
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.tensor import CERTAINLY, CreationMeta, Requires, Tensor, either
from autograd_lint.places import Place


def make_view(engine: Engine, of: Tensor, *, multi_output: bool = False) -> Tensor:
    """A view of `of` without a node yet; it shares storage and version counter.

    Autograd does not follow views of inference tensors.
    """
    creation = engine.view_creation
    if multi_output and creation is CreationMeta.DEFAULT:
        creation = CreationMeta.MULTI_OUTPUT
    if creation is CreationMeta.DEFAULT:
        creation = of.creation
    return Tensor(
        storage=of.storage,
        base=None if of.inference else of.base or of,
        creation=creation,
        seen_version=of.storage.version,
        dtype=of.dtype,
        contiguous=None,
        inference=of.inference,
    )


def edge(engine: Engine, tensor: Tensor, place: Place | None) -> Node | None:
    """Where a gradient for `tensor` flows now: its node, a leaf's accumulator, or nowhere.

    Using a view whose base was written meanwhile gives it a new node; a view that refuses in-place
    work is refused here (Fault `view-modified`).
    """
    follow_base(engine, tensor, place)
    if tensor.node is not None:
        return tensor.node
    if tensor.requires is None:
        return None
    return leaf_node(tensor)


def follow_base(engine: Engine, tensor: Tensor, place: Place | None) -> None:
    """Bring the node of a view up to date with its base, as whatever asks for the node does.

    Source: `VariableHooks::grad_fn` in torch/csrc/autograd/variable.cpp, which `is_leaf`,
    `retain_grad`, hooks and every recorded operator call.
    """
    base = tensor.base
    if base is None or tensor.seen_version == tensor.storage.version:
        return
    if tensor.node is None and base.requires is None:
        return
    because = either(tensor.requires_grad, base.requires) or CERTAINLY
    writes = tensor.storage.writes
    if writes:  # else the tensor was given other memory, which is written by nobody
        refused = refuse_rebase(engine, tensor, place, writes[-1].event, because)
        if refused == CERTAINLY:
            tensor.creation = CreationMeta.DEFAULT
    reattach(engine, tensor, place)


def is_refused_now(tensor: Tensor) -> bool:
    """Whether using a view now would be refused: it must not be written, and its base was."""
    stale = tensor.seen_version != tensor.storage.version
    return stale and tensor.creation is not CreationMeta.DEFAULT


def reattach(engine: Engine, tensor: Tensor, place: Place | None) -> None:
    """Give a view the node that reads it from its base anew (`AsStrided`)."""
    base = tensor.base
    assert base is not None
    source = edge(engine, base, place)
    tensor.node = None
    if source is not None:
        requires = base.requires if base.requires is not None else CERTAINLY
        tensor.node = Node("as_strided", place, engine.next_node(), requires, [source])
        tensor.requires = requires
    tensor.seen_version = tensor.storage.version


def refuse_rebase(
    engine: Engine,
    tensor: Tensor,
    place: Place | None,
    modified: Modified | None,
    because: frozenset[Assumption],
) -> Requires:
    """Report a view that may not be modified in place (multi-output, no_grad, custom Function).

    `because` is why the write is to be differentiated. Gives back what must hold for it to be
    refused, None where it is not.
    """
    if tensor.creation is CreationMeta.DEFAULT:
        return None
    made = tensor.node.created if tensor.node is not None else None
    return engine.report(
        Fault(
            FaultKind.VIEW_MODIFIED,
            place,
            tensor=tensor.name,
            operator=modified.operator if modified else "",
            detail=tensor.creation.value,
            built=made,
            modified=modified,
            assumptions=because,
        )
    )
