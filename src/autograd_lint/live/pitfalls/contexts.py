"""Results that a custom Function keeps on its context: a cycle, which keeps the graph alive."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.definitions import assignment
from autograd_lint.live.pitfalls.family import Family, Walked
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.reading import attributes, is_a

_FILLING = ("setup_context", "forward")  # what a context is handed to before backward


class Contexts(Family):
    """Knows the contexts that the running backward passes and that hold a result of their own.

    Such a context is told once backward is over, for that may let go of what it has used. A call
    that keeps the graph is not judged: there is another to come. Keeps no context alive.
    """

    __slots__ = ("_holding", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._holding: list[ref[Any]] = []

    def look(self, walk: Walk) -> None:
        """A call of the engine begins."""
        nodes = [] if walk.keeps else walk.nodes
        self._holding = [ref(node) for node in nodes if graph.runs_program(node) and _held(node)]

    def after_backward(self, walked: Walked) -> None:
        """It has ended."""
        holding, self._holding = self._holding, []
        for one in holding:
            context = one()
            if context is not None:
                for name in _held(context):
                    self._tell(context._forward_cls, name)

    def _tell(self, function: Any, attribute: str) -> None:
        filling = (assignment(getattr(function, name), attribute) for name in _FILLING)
        place, value = next((one for one in filling if one is not None), (None, None))
        if place is not None and self._told.sites.is_user_file(place.filename):
            name = value.id if isinstance(value, ast.Name) else None
            self._told.tell(Pitfall.KEPT_ON_CONTEXT, place, tensor=name)


def _held(context: Any) -> list[str]:
    """The attributes of a context in which a result of its own is kept."""
    held = attributes(context).items()
    return [name for name, value in held if any(node is context for node in _nodes_in(value))]


def _nodes_in(value: Any) -> Iterator[Any]:
    """The nodes of a tensor, or of those in a container."""
    values = list(value.values()) if type(value) is dict else value
    for one in values if type(values) in (list, tuple) else (values,):
        if is_a(one, torch.Tensor):
            yield graph.node_of(one)
