"""Tensors that were overwritten behind somebody's back, and are used again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Rows, Sights
from autograd_lint.live.schemas import tensors_in


class UsedAgain:
    """Knows such tensors; keeps none alive."""

    def __init__(self, sights: Sights, pitfall: Pitfall) -> None:
        self._sights = sights
        self._pitfall = pitfall
        self._overwritten: dict[int, tuple[ref[torch.Tensor], Rows]] = {}

    def add(self, tensor: torch.Tensor, rows: Rows) -> None:
        """These rows have overwritten a tensor."""
        self._overwritten[id(tensor)] = ref(tensor), rows

    def used(self, taken: Iterable[Any]) -> None:
        """An operator takes these."""
        for tensor in tensors_in(taken) if self._overwritten else ():
            known = self._overwritten.get(id(tensor))
            if known is not None and known[0]() is tensor:
                self._sights.add(self._pitfall, known[1])
