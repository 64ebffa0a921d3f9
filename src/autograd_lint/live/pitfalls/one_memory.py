"""Parameters that were made of one memory, of which a step moves one and the other one is used.

start = numpy.zeros((5, 2), dtype=numpy.float32)
reference = Parameter(torch.from_numpy(start), requires_grad=False)
weight = Parameter(torch.from_numpy(start))            # nothing is copied: `reference` moves along
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import MADE_OF_ONE, Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.told import Told, parameters_of, stepped
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site
from autograd_lint.live.writes import Geometry, geometry_of

_MOST = 256  # parameters that are remembered


class OneMemory(Family):
    """Knows the parameters that the program has made itself; keeps none alive.

    Two that are both trained are told of elsewhere.
    """

    __slots__ = ("_gradients", "_made", "_moved", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._made: dict[int, tuple[ref[torch.Tensor], Site]] = {}
        self._moved: dict[int, tuple[ref[torch.Tensor], Site, Site | None]] = {}

    def made(self, parameter: torch.Tensor, site: Site) -> None:
        """The program has made a parameter itself."""
        self._made.pop(id(parameter), None)
        if len(self._made) < _MOST:
            self._made[id(parameter)] = ref(parameter), site

    def after_step(self, optimizer: torch.optim.Optimizer) -> None:
        """An optimizer has stepped for the first time: what has moved with its parameters?"""
        if not self._made or self._gradients.steps_of(optimizer) != 1:
            return
        held = {_address(one): one for one in parameters_of(optimizer)}
        step = self._told.here()
        for known, site in list(self._made.values()):
            still = known()
            if still is None or still.requires_grad or self._gradients.leaf(still).owned:
                continue
            address = _address(still)
            moved = held.get(address)
            if moved is not None and address is not None:
                at = self._later(moved, still, site)
                self._moved[id(still)] = known, at, step
                self._told.record.told_use[OneMemory] = self._used

    def _later(self, moved: torch.Tensor, still: torch.Tensor, site: Site) -> Site:
        """Where the later of two parameters was made, as far as that is known."""
        known, at = self._made.get(id(moved), (None, site))
        ages = list(self._made)
        is_known = known is not None and known() is moved
        return at if is_known and ages.index(id(moved)) > ages.index(id(still)) else site

    def _used(self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool) -> None:
        """An operator takes these: one that has moved without a step of its own?"""
        for tensor in tensors_in(given) if not writes else ():
            known, at, step = self._moved.get(id(tensor), (None, None, None))
            if known is not None and known() is tensor:
                needed = Needed(place_of(site), "use")
                self._told.tell(
                    Pitfall.MEMORY_SHARED,
                    at,
                    detail=MADE_OF_ONE,
                    modified=stepped(step),
                    needed=needed,
                )


def _address(tensor: torch.Tensor) -> tuple[int, Geometry | None] | None:
    """Where the elements of a tensor lie: arrays of NumPy get a storage each time they are taken;
    None where they lie nowhere."""
    pointer = tensor.data_ptr() if tensor.layout == torch.strided else 0
    return (pointer, geometry_of(tensor)) if pointer else None
