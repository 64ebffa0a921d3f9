"""What one call of the engine shows by itself: its graph, its roots, the mode that it ran in."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.confirm.watch.sights import Rows
from autograd_lint.live.confirm.watch.zeros import leaves_past
from autograd_lint.live.failure import birth_of
from autograd_lint.live.record import Record

_COMPARING = ("MseLoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "KlDiv", "BinaryCrossEntropy")

_ADDING = tuple(f"{name}Backward" for name in ("Add", "Cat", "Stack", "Sub"))

_LINEAR = tuple(f"{name}Backward" for name in ("Div", "Mean", "Mul", "Neg", "Sum"))

_WITHOUT_DERIVATIVE = tuple(f"{name}Backward" for name in ("Eq", "Ge", "Gt", "Le", "Lt", "Ne"))


@dataclass(frozen=True)
class Call:
    """A call of `backward` or `grad`, the nodes below its roots and the inputs that it names.

    `moved` are the leaves that a gradient other than zero may get to.
    """

    rows: Rows
    outputs: list[Any]
    nodes: list[Any]
    leaves: list[torch.Tensor]
    moved: list[torch.Tensor]
    inputs: list[torch.Tensor]
    creates: bool
    accumulates: bool
    grad_enabled: bool


def before(call: Call, record: Record) -> Iterator[tuple[Pitfall, Rows]]:
    """What can be said before the call runs."""
    if call.accumulates and not call.nodes:
        yield Pitfall.LOSS_REBUILT, call.rows  # the roots are leaves
    if call.creates and not call.grad_enabled:
        yield Pitfall.GRAPH_UNDER_NO_GRAD, call.rows
    if call.accumulates and not all(_is_reached(one, call) for one in call.inputs):
        yield Pitfall.INPUT_UNUSED, call.rows
    for node in call.nodes:
        edges = [edge for edge, _ in node.next_functions[:2] if edge is not None]
        if graph.name_of(node).startswith(_COMPARING) and len(edges) == 2:
            yield Pitfall.TARGET_LEARNS, call.rows
        if graph.name_of(node).startswith(_WITHOUT_DERIVATIVE):
            birth = birth_of(node, record)
            if birth is not None and birth.site is not None:
                yield Pitfall.WRITE_WITHOUT_DERIVATIVE, frozenset({birth.site.place.row})


def _is_reached(tensor: torch.Tensor, call: Call) -> bool:
    if tensor.grad_fn is not None:
        return tensor.grad_fn in call.nodes
    return any(leaf is tensor for leaf in call.leaves)


@dataclass(frozen=True)
class Term:
    """What is added up to a root: its node, and the leaves that it moves, by identity."""

    node: Any
    leaves: frozenset[int]


def terms(roots: list[Any], zeros: Collection[Any]) -> list[Term]:
    """The terms of a sum; gradients end at `zeros`."""
    ends = (node for node, parts in _linear(roots) if not parts)
    return [Term(node, frozenset(map(id, leaves_past([node], zeros)))) for node in ends]


def sums(roots: list[Any]) -> list[Any]:
    """The nodes by which something is added to what becomes a root, scaled at most."""
    return [node for node, _ in _linear(roots) if graph.name_of(node).startswith(_ADDING)]


def _linear(roots: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
    """The nodes by which a sum is made up, with those of its parts; the terms have none."""
    stack = list(roots)
    while stack:
        node = stack.pop()
        parts = graph.edges_of(node)
        adds = graph.name_of(node).startswith(_ADDING)
        scales = graph.name_of(node).startswith(_LINEAR) and len(parts) == 1
        parts = parts if adds or scales else []
        yield node, parts
        stack += parts


def after(call: Call, record: Record) -> Iterator[tuple[Pitfall, Rows]]:
    """What can be said when it has run."""
    gradients = [leaf.grad for leaf in call.leaves if leaf.grad is not None]
    if any(not bool(one.detach().isfinite().all()) for one in gradients):
        births = (birth_of(node, record) for node in call.nodes)
        rows = frozenset(one.site.place.row for one in births if one and one.site)
        yield Pitfall.MASKED_SINGULARITY, rows
        yield Pitfall.SINGULAR_AT_ZERO, rows
