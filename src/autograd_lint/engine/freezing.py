"""Leaves that were asked not to require grad: what is computed from them alone has no graph."""

from __future__ import annotations

from itertools import islice

from autograd_lint.engine.events import Noted
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place

_FEW = 3  # places that say enough


def freeze(engine: Engine, leaf: Tensor, place: Place | None) -> None:
    """A leaf that requires grad is asked not to any more."""
    if leaf.requires is not None and place is not None:
        engine.backward.frozen[id(leaf)] = leaf, place


def frozen_at(engine: Engine) -> tuple[Noted, ...]:
    """Where leaves were frozen that still are."""
    places = (place for leaf, place in engine.backward.frozen.values() if leaf.requires is None)
    return tuple(Noted(place, "frozen here") for place in islice(dict.fromkeys(places), _FEW))
