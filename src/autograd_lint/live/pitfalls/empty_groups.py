"""Groups of an optimizer that are empty, beside one that has what was meant for them.

no_decay = ["bias", "LayerNorm.weight"]
[{"params": [p for n, p in named if n not in no_decay], "weight_decay": 0.01},
 {"params": [p for n, p in named if n in no_decay], "weight_decay": 0.0}]       # `n in`: no name is
"""

from __future__ import annotations

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import EMPTY_GROUP, Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told, tensors
from autograd_lint.live.sites import Site

_DECAY = "weight_decay"


class EmptyGroups(Family):
    """Looks at the groups of each optimizer that is built."""

    __slots__ = ("_told",)

    def __init__(self, told: Told) -> None:
        self._told = told

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built: is nothing exempt from decay, though biases are decayed?"""
        groups = optimizer.param_groups
        exempt = [one for one in groups if not one["params"] and not one.get(_DECAY)]
        decayed = [one for one in groups if one.get(_DECAY)]
        parameters = [one for group in decayed for one in tensors(group["params"])]
        dimensions = {min(one.dim(), 2) for one in parameters}
        if len(groups) == 2 and exempt and dimensions >= {1, 2}:
            self._told.tell(Pitfall.NAME_NEVER_MATCHES, site, detail=EMPTY_GROUP)
