"""Gradients of a loss that one optimizer steps with, and another one together with its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Rows, Sights


@dataclass(slots=True, eq=False)
class _Walk:
    """A backward: its rows, and the optimizers that have used what it left, by identity; those of
    `mixed` have used it together with what another backward left."""

    rows: Rows
    used: set[int] = field(default_factory=set)
    mixed: set[int] = field(default_factory=set)


class Foreign:
    """Knows the backwards that the gradient of each leaf is made up of, by identity."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._walks: dict[int, list[_Walk]] = {}

    def before_backward(self, leaves: Iterable[torch.Tensor], rows: Rows) -> None:
        """Backward is about to add to the gradients of these leaves."""
        walk = _Walk(rows)
        for leaf in leaves:
            begins = leaf.grad is None or not bool(leaf.grad.detach().ne(0).any())
            self._walks[id(leaf)] = [*([] if begins else self._walks.get(id(leaf), [])), walk]

    def before_step(self, optimizer: object, parameters: Iterable[torch.Tensor]) -> None:
        """An optimizer is about to use the gradients of its parameters."""
        own = id(optimizer)
        found = {id(one): self._walks.get(id(one), []) for one in parameters}
        for walks in found.values():
            for walk in walks:
                if len({other.rows for other in walks}) > 1:
                    walk.mixed.add(own)
                others = walk.used - {own}
                if (others and len(walks) > 1) or walk.mixed - {own}:
                    self._sights.add(Pitfall.FOREIGN_GRADIENT, walk.rows)
        for walks in found.values():
            for walk in walks:
                walk.used.add(own)
