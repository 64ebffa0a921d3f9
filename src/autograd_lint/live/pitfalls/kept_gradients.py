"""Gradients that are kept by reference, and then averaged with what became of them: both are one.

velocity[i] = p.grad                          # and in later steps, after `p.grad.zero_()`:
velocity[i].mul_(0.9).add_(p.grad)
"""

from __future__ import annotations

from typing import Any

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site
from autograd_lint.live.writes import are_same_elements

_MOST = 256  # gradients that are followed
_AVERAGING = frozenset({"add_", "lerp_", "sub_"})


class KeptGradients(Family):
    """Follows the gradients that are cleared in their memory, so that a backward fills that again.

    Operators are only looked at where there is such a one.
    """

    __slots__ = ("_filled", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._filled: dict[int, Site | None] = {}  # by the memory: the latest backward

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine is about to add to the gradients of these leaves."""
        for leaf in leaves:
            tensor = leaf.tensor()
            gradient = None if tensor is None else tensor.grad
            if gradient is None or not leaf.backwards or leaf.is_as_left:
                continue
            memory = storage_id(gradient)
            if memory is not None and (memory in self._filled or len(self._filled) < _MOST):
                self._filled[memory] = site
                self._told.record.told_use[KeptGradients] = self._used

    def _used(
        self, given: tuple[Any, ...], site: Site | None, operator: str, /, *, writes: bool
    ) -> None:
        """An operator takes these: is a gradient to take in itself?"""
        tensors = tensors_in(given) if writes and operator in _AVERAGING else []
        if len(tensors) < 2:
            return
        memory = storage_id(tensors[0])
        if memory in self._filled and are_same_elements(*tensors[:2]):
            needed = Needed(place_of(site), "use")
            self._told.tell(
                Pitfall.SNAPSHOT_OVERWRITTEN, self._filled[memory], operator="grad", needed=needed
            )
