"""Parameters that lie in the memory of others."""

from __future__ import annotations

from collections.abc import Iterable
from functools import wraps
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Rows, Sights
from autograd_lint.live.patching import Patches
from autograd_lint.live.private import storage_id
from autograd_lint.live.writes import geometry_of


class Ties:
    """Knows which rows made which parameter of a tensor that was there."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._made: dict[int, tuple[ref[torch.Tensor], Rows]] = {}

    def open(self, patches: Patches) -> None:
        """Start to look."""
        original: Any = torch.nn.Parameter.__new__

        @wraps(original)
        def making(kind: Any, *args: Any, **kwargs: Any) -> Any:
            made = original(kind, *args, **kwargs)
            self._made[id(made)] = ref(made), self._sights.rows()
            return made

        patches.replace(torch.nn.Parameter, "__new__", making)

    def at_end(self, trained: Iterable[torch.Tensor]) -> None:
        """The witness has run; backward got to these leaves."""
        found = [*trained]
        places = [(storage_id(leaf), geometry_of(leaf)) for leaf in found]
        for leaf, place in zip(found, places, strict=True):
            known = self._made.get(id(leaf))
            if places.count(place) > 1 and known is not None and known[0]() is leaf:
                self._sights.add(Pitfall.TIED_APART, known[1])
