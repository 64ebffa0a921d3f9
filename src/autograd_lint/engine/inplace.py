"""In-place work: what is refused, the bump of the version, the new history.

Mirrors `check_inplace` (VariableTypeUtils.h), `increment_version` and `rebase_history`
(torch/csrc/autograd/variable.cpp).
"""

from __future__ import annotations

from dataclasses import replace

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Modified
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.shapes import overlaps
from autograd_lint.engine.tensor import (
    CERTAINLY,
    SET_DATA,
    Requires,
    Storage,
    Tensor,
    Write,
    either,
)
from autograd_lint.engine.views import edge, reattach, refuse_rebase
from autograd_lint.places import Place

# What may be written to a tensor several elements of which are one memory cell.
OVERLAPPING = frozenset(
    [
        "conj_physical_",
        "fill_",
        "fill_diagonal_",
        "index_fill_",
        "index_put_",
        "masked_fill_",
        "setitem",
        "squeeze_",
        "swapaxes_",
        "swapdims_",
        "t_",
        "transpose_",
        "tril_",
        "triu_",
        "unsqueeze_",
        "zero_",
    ]
)

# What gives the same when it is done again, so that it may change nothing: values may be in the
# range, or whole, or in order, before.
PROJECTIONS = frozenset(
    [
        "abs_",
        "absolute_",
        "ceil_",
        "clamp_",
        "clamp_max_",
        "clamp_min_",
        "clip_",
        "conj_physical_",
        "fix_",
        "floor_",
        "hardtanh_",
        "nan_to_num_",
        "relu_",
        "relu6_",
        "renorm_",
        "round_",
        "sgn_",
        "sign_",
        "threshold_",
        "tril_",
        "triu_",
        "trunc_",
    ]
)
_SCALING = frozenset(["div_", "divide_", "mul_", "multiply_", "neg_", "negative_"])
_SETTING = frozenset([SET_DATA, "copy_", "fill", "fill_", "item assignment", "setitem", "zero_"])


def check_inplace(
    engine: Engine, tensor: Tensor, requires: Requires, modified: Modified, place: Place | None
) -> Requires:
    """Report what the engine refuses before it writes; `requires` is that of all arguments.

    Gives back what must hold for the write to be refused, None where it is not.
    """
    if tensor.inference and not engine.inference:
        engine.report(_fault(FaultKind.INFERENCE_TENSOR, tensor, modified, place, CERTAINLY))
    if requires is None or not engine.recording:
        return None
    if tensor.is_view:
        refused = refuse_rebase(engine, tensor, place, modified, requires)
        if refused is not None:
            return refused
    own = tensor.requires_grad
    if own is None:
        if engine.transform.batched:
            _refuse_batch(engine, tensor, modified, place, requires)
        return None
    base = tensor.base
    # The kernels look at the edge a view has, not at the one it would get when it is next used.
    if base is not None and base.node is None:
        return engine.report(_fault(FaultKind.LEAF_VIEW_MODIFIED, tensor, modified, place, own))
    if tensor.node is None:
        return engine.report(_fault(FaultKind.LEAF_MODIFIED, tensor, modified, place, own))
    return None


def _refuse_batch(
    engine: Engine, tensor: Tensor, modified: Modified, place: Place | None, requires: Requires
) -> None:
    """Report a write of a batch into a tensor that was made for all of it."""
    made = tensor.made if tensor.base is None else tensor.base.made
    if made is None or made.operator.endswith("_like") or made.operator.startswith("new_"):
        return
    engine.report(
        Fault(
            FaultKind.OTHER,
            place,
            tensor=modified.tensor or tensor.name,
            operator=modified.operator,
            detail="vmap: the tensor written to is one for all the batch",
            modified=modified,
            built=made,
            assumptions=requires or CERTAINLY,
        )
    )


def check_overlap(engine: Engine, tensor: Tensor, modified: Modified, place: Place | None) -> None:
    """Report a write to a tensor several elements of which are one memory cell (`expand`).

    A gradient may be such a tensor: that of a sum is expanded.
    """
    if tensor.may_overlap:
        name = modified.tensor or tensor.name or "the gradient"
        engine.assumed.path_condition |= {Assumption(Kind.NO_OVERLAP, name, weight=0)}
    if modified.operator not in OVERLAPPING and overlaps(tensor.shape, tensor.strides):
        engine.report(
            Fault(
                FaultKind.OTHER,
                place,
                tensor=modified.tensor,
                operator=modified.operator,
                detail="more than one element of the written-to tensor refers to a single "
                "memory location",
                modified=modified,
            )
        )


def _fault(
    kind: FaultKind,
    tensor: Tensor,
    modified: Modified,
    place: Place | None,
    assumptions: frozenset[Assumption],
) -> Fault:
    return Fault(
        kind,
        place,
        tensor=modified.tensor or tensor.name,
        operator=modified.operator,
        modified=modified,
        built=tensor.node.created if tensor.node else tensor.made,
        assumptions=assumptions,
    )


def write(
    tensor: Tensor,
    operator: str,
    place: Place | None,
    *,
    label: str | None = None,
    bumps: int = 1,
    by_optimizer: bool = False,
    assumptions: frozenset[Assumption] = CERTAINLY,
    neutral: bool = False,
    layer: Created | None = None,
    refused: Requires = None,
) -> Modified:
    """Write to the tensor's storage; `bumps` of 0 is a write that the counter does not see.

    A `neutral` one leaves all values as they are, which only the counter does not know. `layer` is
    the layer that writes, `refused` what must hold for the write to be an error.
    """
    storage = tensor.storage
    first = storage.first
    event = Modified(
        place,
        operator,
        label or tensor.name,
        storage.version + bumps,
        by_optimizer,
        bumps > 0,
        layer,
    )
    changing = _changing(first, operator, neutral)
    if bumps:
        storage.write(Write(event, assumptions, changing, refused), bumps)
    unaware = [twin for twin in storage.twins if twin is not storage]
    if not bumps:
        unaware.append(storage)
    if unaware:
        unseen = Write(replace(event, bumped=False), assumptions | changing, changing, refused)
        for one in unaware:
            one.unversioned_writes.append(unseen)
    first.constant = ""
    return event


def set_data(tensor: Tensor, given: Tensor | None, place: Place | None) -> bool:
    """`tensor.data = given`: whether the tensor stands for another memory than it ever did.

    Who looks at the memory that it stood for goes on to do so.
    """
    storage = tensor.storage
    own = given.storage if given is not None and given.storage in storage.twins else None
    if own is not None and own.contents == storage.contents:
        return False
    event = Modified(place, SET_DATA, tensor.name, storage.version, bumped=False)
    changing = _changing(storage.first, SET_DATA, neutral=False)
    storage.unversioned_writes.append(Write(event, changing, changing, alone=tensor))
    storage.contents = own.contents if own is not None else len(storage.unversioned_writes)
    storage.first.constant = ""
    return own is None


def _changing(first: Storage, operator: str, neutral: bool) -> frozenset[Assumption]:
    """What must hold for a write to change any value; `first` stands for the memory."""
    if neutral or (first.constant == "zeros" and operator in _SCALING):
        return frozenset({Assumption(Kind.WRITE_CHANGES_VALUES, weight=2)})
    if operator in PROJECTIONS or (first.constant and operator in _SETTING):
        return frozenset({Assumption(Kind.WRITE_CHANGES_VALUES, weight=0)})
    return CERTAINLY


def rebase(engine: Engine, tensor: Tensor, node: Node, place: Place | None) -> None:
    """Make `node` the history of a tensor just written; a view passes it on to its base."""
    base = tensor.base
    if base is None:
        tensor.node, tensor.output = node, 0
        tensor.requires = either(tensor.requires, node.requires)
        return
    before = edge(engine, base, place)
    if before is not None and before not in node.edges:
        node.edges.append(before)
    if before is not None and before.opaque and not before.edges:
        # Who writes a part of what is given takes it for data.
        node.requires = frozenset(why.as_data() for why in node.requires)
    # The node on the base is a CopySlices: it drops its function when freed.
    node.frees = True
    base.node, base.output = node, 0
    base.requires = either(base.requires, node.requires)
    tensor.requires = either(tensor.requires, node.requires)
    reattach(engine, tensor, place)
