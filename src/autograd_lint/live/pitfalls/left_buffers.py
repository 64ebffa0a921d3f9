"""Averages of a network that follow its parameters, and not the statistics of its layers.

average = copy.deepcopy(model).eval()
...
for a, p in zip(average.parameters(), model.parameters()):     # without the buffers
    a.lerp_(p, 0.01)
average(x)

Each is told at the first write of its own, and only where it is used: it runs, is copied, or gives
its state. Several averages of a class are several.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import ref

import torch
from torch.nn.modules.batchnorm import _BatchNorm

from autograd_lint.engine.pitfalls import BUFFERS_LEFT_OUT, Pitfall
from autograd_lint.live.contents import Digest, differ, digest
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import all_modules
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_NORMALIZING = ("native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm")
_AGAIN = 3  # writes to a weight after which it follows another one
_MOST = 1_024  # weights that are remembered


@dataclass(slots=True)
class _Following:
    """A layer whose weight is written, what its statistics and those of the layer that it was
    copied from were at the first time, where and how often it was, and whether it was used since.
    """

    layer: ref[_BatchNorm]
    original: ref[_BatchNorm]
    held: Digest | None
    seen: Digest | None
    site: Site | None = None
    times: int = 0
    is_used: bool = False


class LeftBuffers(Family):
    """Knows the weights of normalizing layers that were copied; keeps none alive."""

    __slots__ = ("_copies", "_following", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        # By the memory of the weight:
        self._copies: dict[int, tuple[ref[torch.Tensor], ref[torch.Tensor]]] = {}
        self._following: dict[int, _Following] = {}

    def copied(self, copy: torch.Tensor, original: torch.Tensor, site: Site | None) -> None:
        """A parameter was copied."""
        storage = storage_id(copy) if copy.dim() == 1 and len(self._copies) < _MOST else None
        if storage is not None:
            self._copies[storage] = ref(copy), ref(original)
            self._use([original])

    def wrote(self, tensor: torch.Tensor, operator: str, site: Site) -> None:
        """The program has written to a tensor: to the weight of such a layer?"""
        is_asked = (self._copies or self._following) and tensor.dim() == 1
        storage = storage_id(tensor) if is_asked else None
        if storage in self._copies:
            self._follow()
        known = self._following.get(storage or 0)
        if known is not None:
            known.site = known.site or site
            known.times += 1

    def _follow(self) -> None:
        """Look up the layers of what was copied so far."""
        copies, self._copies = self._copies, {}
        layers = {id(one.weight): one for one in all_modules() if isinstance(one, _BatchNorm)}
        for storage, (copy, original) in copies.items():
            layer, other = layers.get(id(copy())), layers.get(id(original()))
            if layer is not None and other is not None:
                held, seen = _statistics(layer), _statistics(other)
                self._following[storage] = _Following(ref(layer), ref(other), held, seen)
                self._told.record.tell_of(_NORMALIZING, self._normalizes)

    def _normalizes(
        self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool
    ) -> None:
        """A layer runs."""
        self._use(tensors_in(given[1:2]))

    def saved(self, module: torch.nn.Module, state: Mapping[str, Any], site: Site | None) -> None:
        """A module has given its state."""
        if self._following:
            self._use(module.parameters())

    def _use(self, weights: Iterable[torch.Tensor]) -> None:
        """The program uses the layers of these: averages, where they were written before."""
        for weight in weights if self._following else ():
            known = self._following.get(storage_id(weight) or 0)
            if known is not None and known.times:
                known.is_used = True

    def trained(self) -> None:
        """The program has run to its end: whose statistics have not moved, beside those of the
        layer that its weight follows?"""
        for known in self._following.values():
            layer, other = known.layer(), known.original()
            if layer is None or other is None or layer.training or known.times < _AGAIN:
                continue
            is_still = known.is_used and not differ(known.held, _statistics(layer))
            if is_still and differ(known.seen, _statistics(other)):
                self._told.tell(Pitfall.AVERAGE_INCOMPLETE, known.site, detail=BUFFERS_LEFT_OUT)


def _statistics(layer: _BatchNorm) -> Digest | None:
    return digest(layer.running_mean) if layer.running_mean is not None else None
