"""Parameters that are trained with those of an optimizer, and that no optimizer has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from weakref import ref

import torch

from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import LEFT_OUT, Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.gradients import Gradients, Leaf
from autograd_lint.live.pitfalls.names import all_modules, name_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.sites import Site

_ROUNDS = 3  # calls that fill a gradient which nothing uses


@dataclass(frozen=True, slots=True)
class _Found:
    """A parameter that no optimizer has as yet: what it is called, the optimizer that lacks it, and
    where it was made, if the program has made it itself."""

    leaf: Leaf
    name: str | None
    optimizer: Created
    made: Site | None = None


class LeftOut:
    """Looks for two kinds once an optimizer has settled; told at the end, if none has them by then.

    One is a part of a layer whose other parameters an optimizer has, as where groups are chosen by
    name. Where most of what gets gradients is left out, or most parameters of that name, that is
    meant. The other is a parameter that the program has made itself of a constant.
    """

    __slots__ = ("_found", "_gradients", "_made", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._made: dict[int, tuple[ref[torch.Tensor], Site, float]] = {}  # of which constant
        self._found: dict[int, _Found] = {}

    def made(self, parameter: torch.Tensor, site: Site) -> None:
        """The program has made a parameter itself."""
        value = _constant(parameter)
        if value is not None:
            self._made[id(parameter)] = ref(parameter), site, value

    def look(self) -> None:
        """An optimizer has settled: what gets gradients beside its parameters?"""
        built = self._gradients.latest_built()
        left = {
            id(one): one for leaf in self._gradients.leaves() if (one := _left(leaf)) is not None
        }
        if built is None or not left:
            return
        for tensor in left.values():
            made, site, value = self._made.get(id(tensor), (None, None, 0.0))
            if made is not None and made() is tensor and _constant(tensor) == value:
                self._note(tensor, built, site)
        owned = self._gradients.owned()
        trained = (leaf.tensor() for leaf in self._gradients.leaves() if leaf.reached)
        updated = [one for one in trained if one is not None and id(one) in owned]
        if _size(left.values()) < _size(updated):
            for tensor, beside in _parts(left, owned):
                self._note(tensor, self._gradients.built_with(beside) or built)

    def at_end(self) -> None:
        """The program has run to its end: which of these has no optimizer got?"""
        for found in self._found.values():
            if found.leaf.owned or found.leaf.backwards < _ROUNDS:
                continue
            own = place_of(found.made)
            self._told.tell(
                Pitfall.NO_OPTIMIZER,
                own or found.optimizer.place,
                tensor=found.name,
                detail=LEFT_OUT,
                built=found.optimizer if own is not None else None,
            )

    def _note(self, tensor: torch.Tensor, built: Created, made: Site | None = None) -> None:
        if id(tensor) not in self._found:
            name = name_of(tensor, self._told.sites)
            self._found[id(tensor)] = _Found(self._gradients.leaf(tensor), name, built, made)


def _left(leaf: Leaf) -> torch.Tensor | None:
    """A parameter that no optimizer has, with a gradient."""
    tensor = leaf.tensor() if leaf.is_parameter and leaf.backwards and not leaf.owned else None
    return tensor if tensor is not None and tensor.requires_grad else None


def _parts(
    left: dict[int, torch.Tensor], owned: set[int]
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """What is left out of a layer, with a parameter of it that an optimizer has; most others of
    that name have one."""
    layers = [[*module._parameters.items()] for module in all_modules()]
    named = [(name, one) for layer in layers for name, one in layer if one is not None]
    updated = Counter(name for name, one in named if id(one) in owned)
    updated.subtract(name for name, one in named if id(one) in left)
    for layer in layers:
        beside = next((one for _, one in layer if one is not None and id(one) in owned), None)
        for name, one in layer if beside is not None else ():
            if one is not None and beside is not None and id(one) in left and updated[name] > 0:
                yield one, beside


def _constant(tensor: torch.Tensor) -> float | None:
    """The value of all elements; None where they differ, and on a GPU, where to look is to wait."""
    values = tensor.detach()
    if values.device.type != "cpu" or not values.numel() or not values.is_floating_point():
        return None
    first = values.reshape(-1)[0]
    return float(first) if bool((values == first).all()) else None


def _size(tensors: Iterable[torch.Tensor]) -> int:
    return sum(one.numel() for one in tensors)
