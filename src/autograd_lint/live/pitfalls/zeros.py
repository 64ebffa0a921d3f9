"""Products of two parameters that are zero: the gradient of each is a product with the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import ZEROS_IN_SERIES, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, parameters_of
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_PRODUCTS = frozenset({"bmm", "mm", "mul"})  # whose operands are saved whole


class Zeros(Family):
    """Knows the parameters that steps have left zero, with a gradient of zero; keeps none alive."""

    __slots__ = ("_found", "_left", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._left: dict[int, ref[torch.Tensor]] = {}
        self._found: dict[Site, tuple[ref[torch.Tensor], str | None]] = {}

    def settled(self, optimizer: Optimizer) -> None:
        """An optimizer has stepped some times: which of its parameters are zero as before?"""
        for tensor in parameters_of(optimizer):
            gradient = tensor.grad
            if gradient is not None and _is_zero(gradient) and _is_zero(tensor):
                self._left[id(tensor)] = ref(tensor)

    def look(self, walk: Walk) -> None:
        """A call of the engine begins: are two of them multiplied?"""
        if len(self._left) < 2 or not walk.accumulates:
            return
        for node in walk.of(_PRODUCTS):
            factors = [next(self._zeros_below(edge), None) for edge, _ in node.next_functions]
            first = factors[0]
            if first is None or None in factors or len(factors) != 2 or factors[1] is first:
                continue
            birth = birth_of(node, self._told.record)
            slots = graph.slots_of(node, self._told.record.has_packed)
            saved = [slot.tensor for slot in slots if slot.tensor is not None]
            if birth is not None and birth.site is not None and all(map(_is_zero, saved)):
                name = name_of(first, self._told.sites)
                self._found.setdefault(birth.site, (ref(first), name))

    def trained(self) -> None:
        """The program has run to its end: which of them are zero still?"""
        for site, (held, name) in self._found.items():
            tensor = held()
            if tensor is None or _is_zero(tensor):
                self._told.tell(Pitfall.GRADIENT_CUT, site, tensor=name, detail=ZEROS_IN_SERIES)

    def _zeros_below(self, node: Any) -> Iterator[torch.Tensor]:
        below = graph.nodes_below([node]) if node is not None else []
        for leaf in graph.leaves_in(below):
            known = self._left.get(id(leaf))
            if known is not None and known() is leaf:
                yield leaf


def _is_zero(tensor: torch.Tensor) -> bool:
    """Whether all elements are zero; on a GPU, where to look is to wait, that is not known."""
    is_seen = tensor.device.type == "cpu" and tensor.layout == torch.strided and tensor.numel() > 0
    return is_seen and not bool(tensor.detach().any())
