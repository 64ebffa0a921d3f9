"""The faults that a backward pass finds, with the events that led to them."""

from __future__ import annotations

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.backward_call import Call
from autograd_lint.engine.events import Created, Needed, Saved
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph import Node, SavedTensor
from autograd_lint.engine.machine import PICKING, Engine
from autograd_lint.engine.tensor import (
    Tensor,
    Write,
)
from autograd_lint.engine.walk import leads_to
from autograd_lint.findings import Found
from autograd_lint.places import Place


def root_fault(
    kind: FaultKind,
    root: Tensor,
    call: Call,
    assumptions: frozenset[Assumption],
    detail: str = "",
) -> Fault:
    return Fault(
        kind,
        call.place,
        tensor=root.name,
        detail=detail,
        operator=root.node.operator if root.node else "",
        built=root.node.created if root.node else _cut_off(root, call),
        needed=Needed(call.place, call.name),
        assumptions=assumptions,
    )


def _cut_off(root: Tensor, call: Call) -> Created | None:
    """Why a root has no graph: where the way to what is asked for ended, if something is asked for,
    else the last thing that ended one."""
    wanted = {id(tensor) for tensor in call.inputs or ()}
    for one in root.graph_breaks if wanted else ():
        leads = leads_to([one.source], wanted)
        if (leads or one.event.operator == "grad") and not (one.switch or one.supposed):
            return one.event
    return root.cut or _made_anew(root) or _taken_out(root)


def _taken_out(root: Tensor) -> Created | None:
    """Where values were copied out of a graph (`torch.tensor(loss)`, NumPy)."""
    return next((one.event for one in root.graph_breaks if not (one.switch or one.supposed)), None)


def _made_anew(root: Tensor) -> Created | None:
    """Where the root itself was created from plain numbers, and not computed."""
    return root.anew[1] if root.anew and not root.storage.writes else None


def input_fault(
    tensor: Tensor, call: Call, detail: str, assumptions: frozenset[Assumption]
) -> Fault:
    return Fault(
        FaultKind.UNUSED_INPUT,
        call.place,
        tensor=tensor.name,
        detail=detail,
        needed=Needed(call.place, call.name),
        handed=call.handed,
        assumptions=assumptions,
    )


def node_fault(
    kind: FaultKind, node: Node, call: Call, assumptions: frozenset[Assumption], detail: str
) -> Fault:
    return Fault(
        kind,
        call.place,
        operator=node.operator,
        detail=detail,
        built=node.created,
        needed=Needed(call.place, call.name),
        assumptions=assumptions,
    )


def twice_fault(node: Node, call: Call, assumptions: frozenset[Assumption]) -> Fault:
    """The fault of differentiating what a custom Function said to be differentiable only once."""
    return Fault(
        FaultKind.CUSTOM_FUNCTION,
        call.place,
        operator=node.operator,
        detail="trying to differentiate twice a function that was marked with @once_differentiable",
        built=Created(node.once, node.operator),
        needed=Needed(call.place, call.name),
        assumptions=assumptions,
    )


def freed_fault(
    engine: Engine, node: Node, call: Call, assumptions: frozenset[Assumption]
) -> Fault:
    """The fault of a second backward, or of reading what a node had saved before the first."""
    again = node.freed is not None and node.freed.place == engine.backward.walking
    carried = engine.backward.carried
    old = carried if carried is not None and again else node
    is_carried = again and old is carried
    place, name = _carried_by(old, call) if is_carried else (old.place, None)
    return Fault(
        FaultKind.GRAPH_FREED,
        call.place,
        tensor=name if is_carried else root_name(call),
        operator=node.operator,
        built=Created(place, old.operator),
        freed=node.freed,
        needed=Needed(call.place, call.name, call.path),
        carried=is_carried,
        assumptions=assumptions,
    )


def _carried_by(node: Node, call: Call) -> tuple[Place | None, str | None]:
    """Where what leads back into an old graph was named, and how: by the code around the backward,
    which goes on with it, else where it was computed."""
    kept = next((node.kept[key] for key in reversed(call.within) if key in node.kept), None)
    return kept or (node.bound or node.place, node.name)


def root_name(call: Call) -> str | None:
    return call.roots[0].name if call.roots else None


def version_fault(
    engine: Engine, node: Node, saved: SavedTensor, culprit: Write, call: Call
) -> Fault:
    tensor, old = saved.tensor, engine.backward.carried
    again = node.walked_at > 0 and node.walked_by == engine.backward.walking and old is not None
    built = Created(old.bound or old.place, old.operator) if again and old else node.created
    requires = node.requires
    if tensor.dtype in ("int", "bool") and _only_picks(node):
        requires = frozenset(why.as_data() for why in requires)
    return Fault(
        FaultKind.SAVED_TENSOR_MODIFIED,
        call.place,
        tensor=tensor.name or culprit.event.tensor,
        operator=node.operator,
        built=built,
        saved=Saved(node.place, node.operator, tensor.name, saved.slot, saved.version),
        modified=culprit.event,
        needed=Needed(call.place, call.name),
        carried=again,
        assumptions=call.assumptions | requires | saved.assumptions | culprit.assumptions,
        found=_found(node, saved),
    )


def _found(node: Node, saved: SavedTensor) -> Found:
    """What `SavedVariable::unpack` (torch/csrc/autograd/saved_variable.cpp) says of a tensor: a
    result is that of the node that saved it, an input has the node that it has by now."""
    tensor = saved.tensor
    maker = node if saved.slot == "result" else tensor.node
    if tensor.dtype in ("int", "bool"):
        maker = None  # what has no gradient belongs to no node
    return Found(
        maker.operator if maker is not None else "",
        tensor.output,
        tensor.dtype,
        tensor.shape,
        saved.version,
        saved.storage.version,
    )


def _only_picks(node: Node) -> bool:
    """Whether elements are picked from what was given, with which nothing is computed: from that
    indices are picked as well as what has a gradient."""
    if node.opaque and not node.edges:
        return True
    return node.operator in PICKING and all(map(_only_picks, node.edges))
