"""Leaves that were asked not to require grad: what is computed from them alone has no graph."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from autograd_lint.engine.events import Noted
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place

if TYPE_CHECKING:
    from autograd_lint.engine.machine import Engine

_FEW = 3  # places that say enough


@dataclass(frozen=True, slots=True, eq=False)
class Frozen:
    """A leaf that required grad was asked not to any more: where, and when by the engine's clock.

    `during` is what was going on: the same object for what belongs together.
    """

    leaf: Tensor
    place: Place
    moment: int
    during: object | None


def flag(
    engine: Engine, leaf: Tensor, wanted: bool, place: Place, during: object | None = None
) -> None:
    """A leaf is asked to require grad, or not to: remember those that are frozen."""
    frozen = engine.backward.frozen
    if wanted:
        frozen.pop(id(leaf), None)
    elif leaf.requires is not None:
        frozen[id(leaf)] = Frozen(leaf, place, engine.clock, during)


def frozen_at(engine: Engine) -> tuple[Noted, ...]:
    """Where leaves were frozen that still are."""
    frozen = engine.backward.frozen.values()
    places = (one.place for one in frozen if one.leaf.requires is None)
    return tuple(Noted(place, "frozen here") for place in islice(dict.fromkeys(places), _FEW))
