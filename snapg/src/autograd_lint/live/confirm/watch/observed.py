"""Tensors that are modified after their gradient was asked for, or without a derivative."""

from __future__ import annotations

from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.confirm.watch.sights import Rows, Sights


class Underived:
    """Remembers the writes that left the graph of a tensor as it was, though they are recorded."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._written: list[tuple[ref[torch.Tensor], int, Rows]] = []

    def wrote(self, tensor: torch.Tensor, rows: Rows) -> None:
        """An operator has written to a tensor; if it has a derivative, a new node is made soon."""
        # A view gets a new node whenever its counter has moved; what it is a view of does not.
        own = tensor if tensor._base is None else tensor._base
        node = graph.node_of(own) if torch.is_grad_enabled() else None
        number = None if node is None else graph.sequence_of(node)
        if number is not None:
            self._written.append((ref(own), number, rows))

    def before_backward(self, nodes: list[Any]) -> None:
        """Backward is about to walk through these nodes."""
        walked = set(map(graph.sequence_of, nodes)) if self._written else set()
        for tensor, number, rows in self._written:
            alive = tensor()
            node = None if alive is None else graph.node_of(alive)
            if node is not None and number in walked and graph.sequence_of(node) == number:
                self._sights.add(Pitfall.WRITE_WITHOUT_DERIVATIVE, rows)
        self._written.clear()


class Observed:
    """Remembers what `register_hook` and `retain_grad` were called on; keeps no tensor alive."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._tensors: dict[int, ref[torch.Tensor]] = {}

    def asked(self, tensor: torch.Tensor) -> None:
        """The gradient of a tensor is to be seen."""
        if graph.node_of(tensor) is not None:
            self._tensors[id(tensor)] = ref(tensor)

    def wrote(self, tensor: torch.Tensor, rows: Rows) -> None:
        """An operator has written to a tensor: if autograd recorded it, it is another value now."""
        known = self._tensors.get(id(tensor))
        if known is not None and known() is tensor and torch.is_grad_enabled():
            self._sights.add(Pitfall.OBSERVED_MODIFIED, rows)
