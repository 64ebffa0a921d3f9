"""Averages of a network that follow its parameters, and not the statistics of its layers.

average = copy.deepcopy(model).eval()
...
for a, p in zip(average.parameters(), model.parameters()):     # without the buffers
    a.lerp_(p, 0.01)
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import ref

import torch
from torch.nn.modules.batchnorm import _BatchNorm

from autograd_lint.engine.pitfalls import BUFFERS_LEFT_OUT, Pitfall
from autograd_lint.live.contents import Digest, differ, digest
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import all_modules
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import storage_id
from autograd_lint.live.sites import Site

_AGAIN = 3  # writes to a weight after which it follows another one
_MOST = 1_024  # weights that are remembered


@dataclass(slots=True)
class _Following:
    """A layer whose weight is written, what its statistics and those of the layer that it was
    copied from were at the first time, and how often it was."""

    layer: ref[_BatchNorm]
    original: ref[_BatchNorm]
    held: Digest | None
    seen: Digest | None
    times: int = 0


class LeftBuffers(Family):
    """Knows the weights of normalizing layers that were copied; keeps none alive."""

    __slots__ = ("_copies", "_following", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        # By the memory of the weight:
        self._copies: dict[int, tuple[ref[torch.Tensor], ref[torch.Tensor]]] = {}
        self._following: dict[int, tuple[_Following, Site]] = {}

    def copied(self, copy: torch.Tensor, original: torch.Tensor, site: Site | None) -> None:
        """A parameter was copied."""
        storage = storage_id(copy) if copy.dim() == 1 and len(self._copies) < _MOST else None
        if storage is not None:
            self._copies[storage] = ref(copy), ref(original)

    def wrote(self, tensor: torch.Tensor, operator: str, site: Site) -> None:
        """The program has written to a tensor: to the weight of such a layer?"""
        is_asked = (self._copies or self._following) and tensor.dim() == 1
        storage = storage_id(tensor) if is_asked else None
        if storage in self._copies:
            self._follow(site)
        known, _ = self._following.get(storage or 0, (None, site))
        if known is not None:
            known.times += 1

    def _follow(self, site: Site) -> None:
        """Look up the layers of what was copied so far."""
        copies, self._copies = self._copies, {}
        layers = {id(one.weight): one for one in all_modules() if isinstance(one, _BatchNorm)}
        for storage, (copy, original) in copies.items():
            layer, other = layers.get(id(copy())), layers.get(id(original()))
            if layer is not None and other is not None:
                held, seen = _statistics(layer), _statistics(other)
                self._following[storage] = _Following(ref(layer), ref(other), held, seen), site

    def trained(self) -> None:
        """The program has run to its end: whose statistics have not moved, beside those of the
        layer that its weight follows?"""
        for known, site in self._following.values():
            layer, other = known.layer(), known.original()
            if layer is None or other is None or layer.training or known.times < _AGAIN:
                continue
            is_still = not differ(known.held, _statistics(layer))
            if is_still and differ(known.seen, _statistics(other)):
                self._told.tell(Pitfall.AVERAGE_INCOMPLETE, site, detail=BUFFERS_LEFT_OUT)


def _statistics(layer: _BatchNorm) -> Digest | None:
    return digest(layer.running_mean) if layer.running_mean is not None else None
