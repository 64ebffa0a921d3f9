"""Backward: the walk over the graph, the version checks, the freeing, the gradients.

Mirrors torch/csrc/autograd/engine.cpp (order of execution, `inputs`), saved_variable.cpp (the two
checks of `unpack`) and torch/autograd/__init__.py (`_make_grads`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograd_lint.engine.events import Created, Freed, Needed, Saved
from autograd_lint.engine.faults import Assumption, Fault, FaultKind
from autograd_lint.engine.graph import Node, SavedTensor
from autograd_lint.engine.inplace import write
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.severing import Severed, Severings
from autograd_lint.engine.shapes import numel
from autograd_lint.engine.tensor import CERTAINLY, Requires, Tensor, Write, either, weight
from autograd_lint.engine.views import edge
from autograd_lint.places import Place


@dataclass(frozen=True, slots=True)
class Call:
    """One call of `backward` or `grad`.

    `inputs` None means every leaf; `accumulate` puts gradients into `.grad`, else they are
    returned. `assumptions` are those of the call itself (the canonical training step is one).
    """

    roots: Sequence[Tensor]
    place: Place | None
    name: str = "backward"
    inputs: Sequence[Tensor] | None = None
    gradient_given: bool = False
    retain_graph: bool = False
    create_graph: bool = False
    accumulate: bool = True
    allow_unused: bool = False
    assumptions: frozenset[Assumption] = CERTAINLY


@dataclass(frozen=True, slots=True)
class Pass:
    """One backward: its call, the nodes it began with, all that it walks, youngest first."""

    call: Call
    starts: Sequence[Node]
    order: Sequence[Node]

    def leaves(self) -> list[Tensor]:
        """The leaves that a gradient gets to."""
        if self.call.inputs is not None:
            return [tensor for tensor in self.call.inputs if tensor.node is None]
        nodes = {id(n): n for node in self.order for n in node.edges}
        nodes |= {id(n): n for n in self.starts}
        return [node.leaf for node in nodes.values() if node.leaf is not None]


def backward(engine: Engine, call: Call) -> list[Tensor | None]:
    """Run a backward pass; the gradients of `inputs` for `grad`, else an empty list.

    Raises EngineError where the engine certainly would.
    """
    engine.reached.add(call.place)
    _check_roots(engine, call)
    found = [edge(engine, root, call.place) for root in call.roots]
    starts = [node for node in found if node is not None]
    _check_inputs(engine, call)
    targets = _targets(engine, call)
    order = _order(starts, targets)
    engine.walking = call.place
    engine.carried = _carried(order)
    engine.record(Pass(call, starts, order))
    doubts = _doubts(order)
    for node in order:
        doubt = doubts.get(id(node), CERTAINLY)
        sure = replace(call, assumptions=call.assumptions | doubt) if doubt else call
        _execute(engine, node, sure)
    return _gradients(engine, call, starts, order)


def _check_roots(engine: Engine, call: Call) -> None:
    for root in call.roots:
        if root.requires_grad is not None and not call.gradient_given and not _is_scalar(root):
            assumptions = call.assumptions | root.requires_grad
            engine.report(_root_fault(FaultKind.NON_SCALAR_ROOT, root, call, assumptions))
    for root in call.roots:
        if root.requires_grad is None:
            engine.report(_root_fault(FaultKind.NO_GRAD_ROOT, root, call, call.assumptions))


def _is_scalar(root: Tensor) -> bool:
    return numel(root.shape) in (None, 1)


def _root_fault(
    kind: FaultKind, root: Tensor, call: Call, assumptions: frozenset[Assumption]
) -> Fault:
    return Fault(
        kind,
        call.place,
        tensor=root.name,
        operator=root.node.operator if root.node else "",
        built=root.node.created if root.node else root.cut,
        needed=Needed(call.place, call.name),
        assumptions=assumptions,
    )


def _check_inputs(engine: Engine, call: Call) -> None:
    for tensor in call.inputs or ():
        if tensor.requires_grad is None:
            engine.report(_input_fault(tensor, call, "does not require grad", call.assumptions))


def _input_fault(
    tensor: Tensor, call: Call, detail: str, assumptions: frozenset[Assumption]
) -> Fault:
    return Fault(
        FaultKind.UNUSED_INPUT,
        call.place,
        tensor=tensor.name,
        detail=detail,
        needed=Needed(call.place, call.name),
        assumptions=assumptions,
    )


def _targets(engine: Engine, call: Call) -> set[int] | None:
    if call.inputs is None:
        return None
    found = [edge(engine, tensor, call.place) for tensor in call.inputs]
    return {id(node) for node in found if node is not None}


def _order(starts: list[Node], targets: set[int] | None) -> list[Node]:
    """The nodes backward runs, youngest first; with `targets` only those that lead to one."""
    reached: dict[int, Node] = {}
    stack = list(starts)
    while stack:
        node = stack.pop()
        if id(node) not in reached:
            reached[id(node)] = node
            stack.extend(node.edges)
    oldest_first = sorted(reached.values(), key=lambda node: node.sequence)
    if targets is None:
        return oldest_first[::-1]
    leading: set[int] = set()
    for node in oldest_first:
        if any(id(target) in targets or id(target) in leading for target in node.edges):
            leading.add(id(node))
    return [node for node in reversed(oldest_first) if id(node) in leading]


def _doubts(order: list[Node]) -> dict[int, frozenset[Assumption]]:
    """What must hold for backward to come to a node, on the way to it that assumes least."""
    doubts: dict[int, frozenset[Assumption]] = {}
    if not any(node.doubt for node in order):
        return doubts
    for node in order:
        beyond = doubts.get(id(node), CERTAINLY) | node.doubt
        for target in node.edges:
            known = doubts.get(id(target))
            if known is None or weight(beyond) < weight(known):
                doubts[id(target)] = beyond
    return doubts


def _execute(engine: Engine, node: Node, call: Call) -> None:
    if node.leaf is not None:
        return
    assumptions = call.assumptions | node.requires
    if node.error:
        engine.report(_node_fault(FaultKind.OTHER, node, call, assumptions, node.error))
    if node.freed is not None and (node.frees or node.saved):
        engine.report(_freed_fault(engine, node, call, assumptions | _kept_because(node, call)))
    for saved in node.saved:
        check_version(engine, node, saved, call)
    if node.run is not None:
        node.run(call.place)
    # Nobody's call of backward is one on a tensor that stands for many.
    assumed = node.opaque and call.place is None
    if not (call.retain_graph or call.create_graph or assumed):
        node.freed = Freed(call.place, call.name)
    node.walked_at, node.walked_by = engine.clock, call.place


def _kept_because(node: Node, call: Call) -> frozenset[Assumption]:
    """What must hold for the node to have kept anything that could be freed."""
    if node.opaque and not node.saved and all(root.node is not node for root in call.roots):
        return frozenset(
            {Assumption(f"`{node.operator}` is no leaf, and its graph keeps something")}
        )
    if node.frees:
        return CERTAINLY
    return min((saved.assumptions for saved in node.saved), key=weight)


def _node_fault(
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


def _freed_fault(
    engine: Engine, node: Node, call: Call, assumptions: frozenset[Assumption]
) -> Fault:
    """The fault of a second backward, or of reading what a node had saved before the first."""
    again = node.freed is not None and node.freed.place == engine.walking
    carried = engine.carried
    old = carried if carried is not None and again else node
    place = old.bound if again and old is carried and old.bound is not None else old.place
    return Fault(
        FaultKind.GRAPH_FREED,
        call.place,
        tensor=old.name if again and old is carried else _root_name(call),
        operator=node.operator,
        built=Created(place, old.operator),
        freed=node.freed,
        needed=Needed(call.place, call.name),
        carried=again and old is carried,
        assumptions=assumptions,
    )


def _root_name(call: Call) -> str | None:
    return call.roots[0].name if call.roots else None


def check_freed(engine: Engine, node: Node, call: Call) -> None:
    """Report that `call` reads what a node had saved after it was freed."""
    if node.freed is not None:
        engine.report(_freed_fault(engine, node, call, call.assumptions | node.requires))


def _carried(order: list[Node]) -> Node | None:
    """The youngest node of an old graph that a new one leads to.

    Old is what backward has walked before. What was computed from it before that, but not walked
    itself, belongs to it.
    """
    joined = [node for node in order if not node.walked_at]
    old = [target for node in joined for target in node.edges if target.walked_at]
    if not old:
        return None
    walked_at = max(node.walked_at for node in old)
    derived = [
        node
        for node in joined
        if node.sequence <= walked_at and any(target.walked_at for target in node.edges)
    ]
    return max([*old, *derived], key=lambda node: node.sequence)


def check_version(engine: Engine, node: Node, saved: SavedTensor, call: Call) -> None:
    """Report a saved tensor that was written since; `call` is what needs it."""
    writes = saved.later_writes()
    if saved.had_history and saved.tensor.detached is not None:
        writes = [*writes, Write(saved.tensor.detached)]
    if not writes:
        _note_hidden(engine, node, saved, call)
        return
    culprit = min(writes, key=lambda write: weight(write.assumptions))
    engine.report(_version_fault(engine, node, saved, culprit, call))


def _note_hidden(engine: Engine, node: Node, saved: SavedTensor, call: Call) -> None:
    """Note a saved tensor that was written without the version counter."""
    writes = saved.hidden_writes()
    if writes:
        culprit = min(writes, key=lambda write: weight(write.assumptions))
        engine.note(_version_fault(engine, node, saved, culprit, call))


def _version_fault(
    engine: Engine, node: Node, saved: SavedTensor, culprit: Write, call: Call
) -> Fault:
    tensor, old = saved.tensor, engine.carried
    again = node.walked_at > 0 and node.walked_by == engine.walking and old is not None
    built = Created(old.bound or old.place, old.operator) if again and old else node.created
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
        assumptions=call.assumptions | node.requires | saved.assumptions | culprit.assumptions,
    )


def _gradients(
    engine: Engine, call: Call, starts: list[Node], order: list[Node]
) -> list[Tensor | None]:
    reached = {id(target) for node in order for target in node.edges} | {id(n) for n in starts}
    requires = _second_order(order) if call.create_graph else None
    if call.inputs is not None and not call.accumulate:
        whole = _order(starts, None)
        return [_returned(engine, call, t, reached, requires, whole) for t in call.inputs]
    for tensor in _receivers(engine, call, reached, starts, order):
        _refuse_interior(engine, tensor, call)
        _accumulate(engine, tensor, call, requires, order)
    return []


def _refuse_interior(engine: Engine, tensor: Tensor, call: Call) -> None:
    """Report a leaf that got a history after the graph was built on it.

    Source: `AccumulateGrad::apply` in torch/csrc/autograd/functions/accumulate_grad.cpp.
    """
    node = tensor.node
    moved = node is not None and not node.opaque and tensor.accumulator is not None
    if node is None or not moved or call.inputs is not None or not tensor.storage.writes:
        return
    engine.report(
        Fault(
            FaultKind.LEAF_MODIFIED,
            call.place,
            tensor=tensor.name,
            operator=node.operator,
            detail="leaf variable has been moved into the graph interior",
            built=node.created,
            modified=tensor.storage.writes[-1].event,
            needed=Needed(call.place, call.name),
            assumptions=call.assumptions | node.requires,
        )
    )


def _receivers(
    engine: Engine, call: Call, reached: set[int], starts: list[Node], order: list[Node]
) -> list[Tensor]:
    if call.inputs is not None:
        return [t for t in call.inputs if id(edge(engine, t, call.place)) in reached]
    nodes = {id(n): n for node in order for n in node.edges} | {id(n): n for n in starts}
    return [node.leaf for node in nodes.values() if node.leaf is not None]


def _returned(
    engine: Engine,
    call: Call,
    tensor: Tensor,
    reached: set[int],
    requires: Requires,
    order: list[Node],
) -> Tensor | None:
    node = edge(engine, tensor, call.place)
    if node is None or id(node) in reached or any(walked.opaque for walked in order):
        return _gradient(engine, tensor, call, requires, order)
    if not call.allow_unused:
        assumptions = call.assumptions | (tensor.requires_grad or CERTAINLY)
        detail = "appears to not have been used in the graph"
        engine.report(_input_fault(tensor, call, detail, assumptions))
    return None


def _second_order(order: list[Node]) -> Requires:
    """A gradient depends on the tensors that the walked nodes had saved."""
    return either(*(saved.tensor.requires_grad for node in order for saved in node.saved))


def _gradient(
    engine: Engine, tensor: Tensor, call: Call, requires: Requires, order: list[Node]
) -> Tensor:
    gradient = Tensor(dtype=tensor.dtype, shape=tensor.shape)
    if requires is None:
        gradient.severed = _severed_gradient(call, order)
        return gradient
    kept = [s for node in order for s in node.saved if s.tensor.requires_grad is not None]
    found = [edge(engine, saved.tensor, call.place) for saved in kept]
    node = Node(
        call.name,
        call.place,
        engine.tick(),
        requires,
        list({id(n): n for n in [*found, *order] if n is not None}.values()),
        [SavedTensor.of(s.tensor, "input", s.assumptions) for s in kept],
        frees=True,
    )
    gradient.node, gradient.requires = node, requires
    return gradient


def _severed_gradient(call: Call, order: list[Node]) -> Severings:
    """A gradient that `create_graph` would have given a graph."""
    requires = _second_order(order)
    if call.accumulate or call.create_graph or requires is None:
        return ()
    return (Severed(Created(call.place, call.name), order[0], requires),)


def _accumulate(
    engine: Engine, tensor: Tensor, call: Call, requires: Requires, order: list[Node]
) -> None:
    if tensor.grad is None or call.create_graph:
        tensor.grad = _gradient(engine, tensor, call, requires, order)
        tensor.grad.name = f"{tensor.name}.grad" if tensor.name else None
        return
    write(tensor.grad, "backward", call.place)
