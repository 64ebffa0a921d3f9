"""What a backward pass leaves behind: gradients returned, or accumulated into `.grad`."""

from __future__ import annotations

from autograd_lint.engine.backward_call import Call
from autograd_lint.engine.blame import input_fault
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.gradient_memory import lay_out
from autograd_lint.engine.graph import Node, SavedTensor
from autograd_lint.engine.graph_breaks import GraphBreak, GraphBreaks
from autograd_lint.engine.inplace import write
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.recovery import unknown_history
from autograd_lint.engine.tensor import (
    CERTAINLY,
    Requires,
    Tensor,
    either,
)
from autograd_lint.engine.views import edge
from autograd_lint.engine.walk import leading_to, nodes_given_gradients, once_only, walk_order


def gradients(
    engine: Engine, call: Call, starts: list[Node], order: list[Node]
) -> list[Tensor | None]:
    reached = nodes_given_gradients(starts, order)
    requires = _second_order(order, walk_order(starts, None)) if call.create_graph else None
    for tensor in [tensor for node in order for tensor in node.retained]:
        # Another sum, not a write: `RetainGradHook` in torch/csrc/autograd/variable.cpp.
        tensor.grad = _gradient(engine, tensor, call, requires, order)
    if call.inputs is not None and not call.accumulate:
        whole = walk_order(starts, None)
        return [_returned(engine, call, one, reached, whole) for one in call.inputs]
    for tensor in _receivers(engine, call, reached, starts, order):
        _refuse_interior(engine, tensor, call)
        _accumulate(engine, tensor, call, requires, order)
    return []


def _refuse_interior(engine: Engine, tensor: Tensor, call: Call) -> None:
    """Report a leaf that got a history after the graph was built on it.

    Source: `AccumulateGrad::apply` in torch/csrc/autograd/functions/accumulate_grad.cpp.
    """
    node, writes = tensor.node, tensor.storage.writes
    moved = node is not None and not node.opaque and tensor.accumulator is not None
    if node is None or not moved or call.inputs is not None or not writes:
        return
    if not writes[-1].goes_through(call.assumptions | node.requires | engine.assumed.here):
        return
    engine.report(
        Fault(
            FaultKind.LEAF_MODIFIED,
            call.place,
            tensor=tensor.name,
            operator=node.operator,
            detail="leaf variable has been moved into the graph interior",
            built=node.created,
            modified=writes[-1].event,
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
    return [n.leaf for key, n in nodes.items() if n.leaf is not None and key in reached]


def _returned(
    engine: Engine,
    call: Call,
    tensor: Tensor,
    reached: set[int],
    whole: list[Node],
) -> Tensor | None:
    node = edge(engine, tensor, call.place)
    unknown = node is None or any(walked.opaque for walked in whole)
    # The gradient of one input is computed by what is on the way to that one alone.
    way = whole if node is None or unknown else leading_to(whole, {id(node)})
    requires = _second_order(way, whole) if call.create_graph else None
    if unknown or id(node) in reached:
        return _gradient(engine, tensor, call, requires, way)
    if call.allow_unused:
        return None
    # Roots without a graph at all are told by themselves.
    if whole and not _may_be_used_later(engine, tensor, whole):
        assumptions = call.assumptions | (tensor.requires_grad or CERTAINLY)
        detail = "appears to not have been used in the graph"
        engine.report(input_fault(tensor, call, detail, assumptions))
    found = _gradient(engine, tensor, call, requires, whole)
    if call.create_graph:
        unknown_history([found])
    return found


def _may_be_used_later(engine: Engine, tensor: Tensor, whole: list[Node]) -> bool:
    """Whether a parameter, or what became of it, may be used by rounds of a loop that were left
    out: the loop ended since the graph began."""
    began = min((node.sequence for node in whole if node.leaf is None), default=engine.clock)
    return (tensor.parameter or tensor.node is not None) and any(
        moment > began for moment in engine.assumed.cut_short
    )


def _second_order(order: list[Node], whole: list[Node]) -> Requires:
    """A gradient depends on the tensors that the walked nodes had saved, or may have saved."""
    saved = [saved.tensor.requires_grad for node in order for saved in node.saved]
    own = [node.second for node in order]
    assumed = [node.requires for node in whole if node.opaque]
    return either(*saved, *own, *assumed)


def _gradient(
    engine: Engine, tensor: Tensor, call: Call, requires: Requires, order: list[Node]
) -> Tensor:
    gradient = Tensor(dtype=tensor.dtype, shape=tensor.shape, contiguous=None)
    if not call.accumulate:
        gradient.made = Created(call.place, "grad")
        lay_out(gradient, edge(engine, tensor, call.place), _single_roots(call), order)
    if requires is None:
        gradient.graph_breaks = _breaks_of_gradient(call, order)
        return gradient
    kept = [s for node in order for s in node.saved if s.tensor.requires_grad is not None]
    found = [edge(engine, saved.tensor, call.place) for saved in kept]
    # Of what has walked, only unknown code and the program's own may lead on by itself.
    found += [walked for walked in order if walked.opaque or walked.second is not None]
    node = Node(
        call.name,
        call.place,
        engine.next_node(),
        requires,
        list({id(n): n for n in found if n is not None}.values()),
        [SavedTensor.of(s.tensor, "input", s.assumptions) for s in kept],
        frees=True,
    )
    node.refused = once_only(order, edge(engine, tensor, call.place))
    gradient.node, gradient.requires = node, requires
    return gradient


def _single_roots(call: Call) -> list[Node]:
    """The nodes of the roots that have one element."""
    single = [one for one in call.roots if not call.gradient_given or one.shape == ()]
    return [root.node for root in single if root.node is not None]


def _accumulate(
    engine: Engine, tensor: Tensor, call: Call, requires: Requires, order: list[Node]
) -> None:
    if tensor.grad is None or call.create_graph:
        tensor.grad = _gradient(engine, tensor, call, requires, order)
        tensor.grad.name = f"{tensor.name}.grad" if tensor.name else None
        return
    write(tensor.grad, "backward", call.place)


def _breaks_of_gradient(call: Call, order: list[Node]) -> GraphBreaks:
    """A gradient that `create_graph` would have given a graph."""
    if call.accumulate or call.create_graph:
        return ()
    requires = _second_order(order, walk_order(order, None))
    if requires is None:
        return ()
    return (GraphBreak(Created(call.place, call.name), order[0], requires),)
