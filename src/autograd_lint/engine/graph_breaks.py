"""Where a graph ends although its values go on: what is computed from them gets no gradient back.

A graph break travels with the values: on tensors outside of any graph, and on the nodes that use
such tensors as constants. From a root of backward every graph break on the way can so be found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Created

if TYPE_CHECKING:
    from autograd_lint.engine.graph import Node
    from autograd_lint.engine.machine import Engine
    from autograd_lint.engine.tensor import Tensor

# Of what a sparse tensor is made they tell where its values stand, and nothing of the values.
PLACES = {"_indices", "indices"}
DECIDING = frozenset({"bool", "int"})  # dtypes of values that change in jumps
MOST = 8  # graph breaks that one value carries; more of them say nothing new


@dataclass(frozen=True, slots=True, eq=False)
class GraphBreak:
    """`source`, the graph of a value, ended at `event`; `assumptions` are those of its being there.

    `switch` is what had turned grad mode off, where that is the reason, `supposed` that it is
    taken for granted that it was still off in code which is not known. `chooses` says that the
    values behind it were only chosen by what it was computed from.
    """

    event: Created
    source: Node
    assumptions: frozenset[Assumption]
    switch: Created | None = None
    supposed: bool = False
    chooses: bool = False


GraphBreaks = tuple[GraphBreak, ...]


def joined(*several: Iterable[GraphBreak]) -> GraphBreaks:
    """Each graph break once, the first ones first."""
    found: dict[int, GraphBreak] = {}
    for breaks in several:
        for graph_break in breaks:
            found.setdefault(id(graph_break), graph_break)
    return tuple(found.values())[:MOST]


def constants(tensors: Iterable[Tensor]) -> GraphBreaks:
    """The graph breaks that the tensors outside of any graph have behind them."""
    found = [t.graph_breaks for t in tensors if t.graph_breaks and not linked(t)]
    return joined(*found) if found else ()


def linked(tensor: Tensor) -> bool:
    """Whether a gradient for a tensor goes anywhere.

    A view made under `no_grad` says that it requires grad, for its base does, but leads nowhere.
    """
    return tensor.node is not None or tensor.requires is not None


def choosing(conditions: Iterable[Tensor]) -> GraphBreaks:
    """The graph breaks behind the conditions by which `where` chooses between values."""
    return _choosing(constants(conditions))


def _choosing(breaks: GraphBreaks) -> GraphBreaks:
    return tuple(replace(one, chooses=True) for one in breaks)


def inherit(
    engine: Engine,
    arguments: list[Tensor],
    given: GraphBreaks,
    node: Node | None,
    made: list[Tensor],
) -> None:
    """Hand the graph breaks behind an operator's arguments on to its node and results.

    `given` are those behind arguments that are no tensors. A result outside of any graph, of an
    argument in one, is itself such an end. What is compared only decides what comes of it.
    """
    known = constants(arguments)
    if given:
        known = joined(given, known)
    if node is not None and known:
        node.graph_breaks = known
    for tensor in made:
        if linked(tensor):
            continue
        if tensor.requires_grad is not None and tensor.made is not None and engine.switch:
            requires = tensor.requires_grad
            tensor.graph_breaks = (GraphBreak(tensor.made, leaf_node(tensor), requires),)
            continue
        places = tensor.cut is not None and tensor.cut.operator in PLACES
        cut = [t for t in arguments if t.requires_grad is not None and not places]
        own = [break_graph(engine, argument, tensor.cut, nested=True) for argument in cut]
        behind = _choosing(known) if tensor.dtype in DECIDING else known
        tensor.graph_breaks = joined(*own, behind) if own else behind


def break_graph(
    engine: Engine, tensor: Tensor, event: Created | None, *, nested: bool = False
) -> GraphBreaks:
    """The graph breaks behind a value that is taken from `tensor` out of its graph at `event`.

    `nested` says that it is grad mode, where that is off, which ended the graph.
    """
    requires = tensor.requires_grad
    if requires is None or event is None:
        return tensor.graph_breaks
    switch = (engine.switch or event) if nested and not engine.recording else None
    source = tensor.node or leaf_node(tensor)
    return joined((GraphBreak(event, source, requires, switch),), tensor.graph_breaks)


def leaf_node(tensor: Tensor) -> Node:
    """The node that would put a gradient into a leaf; that of its base for a view."""
    from autograd_lint.engine.graph import Node

    if tensor.base is not None and tensor.requires is None:
        return tensor.base.node or leaf_node(tensor.base)
    if tensor.accumulator is None:
        tensor.accumulator = Node(
            "AccumulateGrad", None, 0, tensor.requires or frozenset(), leaf=tensor
        )
    return tensor.accumulator
