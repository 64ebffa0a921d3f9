"""Where a gradient ends in a graph: functions without a slope, and sums that cancel out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import torch

from autograd_lint.engine.pitfalls import CANCELLED, ONE_ELEMENT, SATURATED, WITH_ITSELF
from autograd_lint.live import graph

_STEPS = frozenset({"ceil", "floor", "normal", "round", "sign", "trunc"})
_BOUNDS = {
    "clamp": ("_saved_min", "_saved_max"),
    "clamp_min": ("_saved_min", ""),
    "clamp_max": ("", "_saved_max"),
    "hardtanh": ("_saved_min_val", "_saved_max_val"),
}
_FLAT = {
    "relu": (0,),
    "sigmoid": (0, 1),
    "softmax": (0, 1),
    "tanh": (-1, 1),
}  # where results have no slope
_OF_ALL = frozenset({"log_softmax", "softmax"})
_PRODUCTS = frozenset({"bmm", "mm"})  # of queries and keys, of which there may be one
_LOSSES = frozenset({"huber_loss", "l1_loss", "mse_loss", "smooth_l1_loss"})  # of a difference
_TAKING = frozenset({"neg", "sub"})
_LINEAR = _TAKING | {"add"}
LOSING = _STEPS | _OF_ALL | _LOSSES | _LINEAR | set(_BOUNDS) | set(_FLAT)
"""The operators of nodes at which a gradient may lose something."""
_MOST = 64  # nodes of a sum that are gone through
_NEGATIVE = 2**63  # a dimension that is counted from the last one is written so


class Loss(NamedTuple):
    """What is the matter with a node that hands on nothing but zeros, for all elements, to these
    nodes; `whole` says that these are all that it leads to. The detail is empty for what the
    operator itself says."""

    detail: str
    below: list[Any]
    whole: bool = True


def loss_at(node: Any, hooks: bool) -> Loss | None:
    """What a gradient loses at a node; None where it loses nothing, or that is not known: `hooks`
    says that the program has used hooks on what nodes save."""
    operator = graph.operator_of(node)
    if operator in _STEPS or (operator in _BOUNDS and _is_outside(node, hooks, *_BOUNDS[operator])):
        return Loss("", graph.edges_of(node))
    if operator in _OF_ALL and _is_of_one(node, hooks) and not _compares_pairs(node):
        return Loss(ONE_ELEMENT, graph.edges_of(node))
    if operator in _FLAT and _is_flat(node, hooks, *_FLAT[operator]):
        return Loss(SATURATED, graph.edges_of(node))
    factors = _factors(node) if _may_cancel(node) else {}
    cancelled = [one for one, factor in factors.items() if not factor]
    if not cancelled:
        return None
    detail = WITH_ITSELF if operator in _LOSSES else CANCELLED
    return Loss(detail, cancelled, len(cancelled) == len(factors))


def reached(roots: Iterable[Any], losses: Mapping[Any, Loss]) -> list[Any]:
    """The nodes that gradients other than zero get to, by what they lose at each."""
    found = list(dict.fromkeys(roots))
    seen = set(found)
    for node in found:
        for one in _hands_on(node, losses.get(node)):
            if one not in seen:
                seen.add(one)
                found.append(one)
    return found


def _hands_on(node: Any, loss: Loss | None) -> Iterable[Any]:
    """The nodes that a node hands gradients on to, without those that it takes them from again."""
    if loss is None:
        return graph.edges_of(node)
    return () if loss.whole else [one for one, factor in _factors(node).items() if factor]


def _may_cancel(node: Any) -> bool:
    """Whether a sum takes something away, at its end or right before that."""
    operator = graph.operator_of(node)
    if operator not in _LINEAR:
        return operator in _LOSSES and len(graph.edges_of(node)) == 2
    ends = (node, *graph.edges_of(node))
    return any(graph.operator_of(one) in _TAKING or _alpha(one) < 0 for one in ends)


def numbers_in(start: Any) -> list[int]:
    """The numbers of the nodes by which a sum is made."""
    found = [start]
    for node in found[:_MOST]:
        found += (one for one in graph.edges_of(node) if graph.operator_of(one) in _LINEAR)
    return graph.numbers_of(found)


def _factors(start: Any) -> dict[Any, float]:
    """How often a sum counts each node that is no sum itself."""
    found: dict[Any, float] = {}
    waiting = [(start, 1.0)]
    for _ in range(_MOST):
        if not waiting:
            break
        node, factor = waiting.pop()
        if node is start or graph.operator_of(node) in _LINEAR:
            waiting += _parts(node, factor)
        else:
            found[node] = found.get(node, 0.0) + factor
    for node, factor in waiting:
        found[node] = found.get(node, 0.0) + factor
    return found


def _parts(node: Any, factor: float) -> Iterator[tuple[Any, float]]:
    operator, alpha = graph.operator_of(node), _alpha(node)
    signs = {"add": (1.0, alpha), "sub": (1.0, -alpha), "neg": (-1.0,)}.get(operator, (1.0, -1.0))
    for (edge, _), sign in zip(node.next_functions, signs, strict=False):
        if edge is not None:
            yield edge, factor * sign


def _alpha(node: Any) -> float:
    """What the second term of a sum is multiplied by."""
    alpha = getattr(node, "_saved_alpha", 1)
    return alpha if isinstance(alpha, (int, float)) else 1


def _is_outside(node: Any, hooks: bool, least: str, most: str) -> bool:
    """Whether all that was given lies outside of the bounds."""
    given = _saved(node, "self", hooks)
    low, high = getattr(node, least, None), getattr(node, most, None)
    if given is None or not all(isinstance(one, (int, float, type(None))) for one in (low, high)):
        return False
    values = given.detach()
    inside = torch.ones_like(values, dtype=torch.bool)
    if low is not None:
        inside &= values >= low
    if high is not None:
        inside &= values <= high
    return not bool(inside.any())


def _is_flat(node: Any, hooks: bool, *ends: float) -> bool:
    """Whether all results lie where a function ends: it has no slope there."""
    result = _saved(node, "result", hooks)
    if result is None or (graph.operator_of(node) in _OF_ALL and _is_of_one(node, hooks)):
        return False
    values = result.detach()
    if values.reshape(-1)[0].item() not in ends:
        return False
    flat = values == ends[0]
    for end in ends[1:]:
        flat |= values == end
    return bool(flat.all())


def _is_of_one(node: Any, hooks: bool) -> bool:
    """Whether each sum that a softmax divides by is one of a single element."""
    result, along = _saved(node, "result", hooks), node._saved_dim
    if result is None or not result.dim():
        return False
    size = result.shape[along - 2 * _NEGATIVE if along >= _NEGATIVE else along]
    return bool(size == 1)


def _compares_pairs(node: Any) -> bool:
    """Whether what a softmax is given are products of two results, as in attention: over a sequence
    that happens to have one element."""
    below = graph.nodes_below([node])[1:5]
    products = (one for one in below if graph.operator_of(one) in _PRODUCTS)
    return any(
        len(graph.leaves_in(graph.nodes_below([edge]))) > 1
        for one in products
        for edge in graph.edges_of(one)[1:]
    )


def _saved(node: Any, attribute: str, hooks: bool) -> torch.Tensor | None:
    """What a node has saved there, as far as looking at it is not waiting for a GPU."""
    saved = (slot.tensor for slot in graph.slots_of(node, hooks) if slot.attribute == attribute)
    found = next(saved, None)
    is_seen = found is not None and found.device.type == "cpu" and found.numel() > 0
    return found if is_seen else None
