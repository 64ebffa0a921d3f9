"""Operators whose derivative is zero whatever they are given: the graph goes on, the gradient ends.

A node that keeps nothing computes the same of every gradient, whatever values its operator had: if
that is zero once, it always is. So `round` and `sign` are told from a `relu` of negative values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

import torch

from autograd_lint.live import graph

_GENERATED = re.compile(r"\w+Backward\d+")  # nodes from the derivative formulas of torch
_KEPT: dict[type, tuple[str, ...]] = {}


def zeros_in(nodes: Iterable[Any]) -> list[Any]:
    """The nodes that make zeros of every gradient."""
    return [node for node in nodes if _is_constant(node) and _makes_zeros(node)]


def leaves_past(roots: Iterable[Any], zeros: Collection[Any]) -> list[torch.Tensor]:
    """The leaves that lie below these roots on a way that passes none of the zeros."""
    stack = [root for root in roots if root not in zeros]
    seen = set(stack)
    while stack:
        for node, _ in stack.pop().next_functions:
            if node is not None and node not in seen and node not in zeros:
                seen.add(node)
                stack.append(node)
    return graph.leaves_in(seen)


def _is_constant(node: Any) -> bool:
    """Whether a node computes the same of a gradient whatever its operator was given."""
    if graph.runs_program(node) or not _GENERATED.fullmatch(graph.name_of(node)):
        return False
    kept = _KEPT.get(type(node))
    if kept is None:
        kept = tuple(name for name in dir(type(node)) if name.startswith("_saved_"))
        _KEPT[type(node)] = kept
    return not kept or getattr(node, "_saved_rounding_mode", None) is not None


def _makes_zeros(node: Any) -> bool:
    given = [
        torch.ones((), dtype=one.dtype, device=one.device).expand(one.shape)
        for one in getattr(node, "_input_metadata", ())
    ]
    try:
        made = node(*given)
    except RuntimeError:  # it has no derivative, or is freed
        return False
    found = [one for one in (made if isinstance(made, tuple) else (made,)) if one is not None]
    return bool(given and found) and not any(bool(one.ne(0).any()) for one in found)
