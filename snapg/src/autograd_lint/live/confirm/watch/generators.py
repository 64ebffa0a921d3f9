"""Generators of parameters that are gone through when they are empty."""

from __future__ import annotations

from collections.abc import Iterator
from functools import wraps
from typing import Any

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Sights
from autograd_lint.live.patching import Patches


def watch_generators(patches: Patches, sights: Sights) -> None:
    """From now on it is seen when one is gone through again."""
    for name in ("parameters", "named_parameters"):
        patches.replace(torch.nn.Module, name, _watched(getattr(torch.nn.Module, name), sights))


def _watched(original: Any, sights: Sights) -> Any:
    @wraps(original)
    def watched(*args: Any, **kwargs: Any) -> Iterator[Any]:
        return _Watched(original(*args, **kwargs), sights)

    return watched


class _Watched(Iterator[Any]):
    """Gives what a generator gives; who asks when it has come to its end gets nothing."""

    def __init__(self, generator: Iterator[Any], sights: Sights) -> None:
        self._generator = generator
        self._sights = sights
        self._given = 0
        self._ended = False

    def __next__(self) -> Any:
        if self._ended and self._given:
            self._sights.add(Pitfall.USED_UP, self._sights.rows())
        try:
            value = next(self._generator)
        except StopIteration:
            self._ended = True
            raise
        self._given += 1
        return value
