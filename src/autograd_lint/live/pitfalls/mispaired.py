"""Parameters that the program moves by the gradient of another parameter.

wanted = [p for p in net.parameters() if p.requires_grad]
gradients = torch.autograd.grad(loss, wanted)
for p, gradient in zip(net.parameters(), gradients):     # begins with what is frozen
    p -= 0.1 * gradient

Wherever the shapes agree, or are broadcast, nothing is raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.pitfalls import ANOTHER_LEAF, Pitfall
from autograd_lint.live.pitfalls.directions import is_along, is_looked_at
from autograd_lint.live.pitfalls.family import Family, Step, Walked
from autograd_lint.live.pitfalls.names import modules_at_hand, name_of
from autograd_lint.live.pitfalls.told import Told, tensors
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_AGAIN = 2  # parameters of one call that are moved so, or one in two calls


class Mispaired(Family):
    """Compares what parameters are moved by with the gradients of the latest call of `grad`: what
    is a multiple of that of another one, and not of the parameter's own. Keeps none alive."""

    __slots__ = ("_asked", "_gradients", "_latest", "_times", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._asked: list[ref[torch.Tensor]] = []
        self._gradients: dict[int, tuple[int, list[ref[torch.Tensor]]]] = {}  # by a leaf's memory
        self._times: dict[Site, int] = {}
        self._latest: tuple[Site, list[ref[torch.Tensor]]] | None = None  # what was asked for

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: what are gradients asked for?"""
        is_several = len(walk.inputs) > 1 and not walk.accumulates
        parameters = is_several and all(isinstance(one, torch.nn.Parameter) for one in walk.inputs)
        self._asked = [ref(one) for one in walk.inputs] if parameters else []
        if parameters and walk.site is not None:
            self._latest = walk.site, self._asked

    def after_backward(self, walked: Walked) -> None:
        """It has given these."""
        asked, self._asked, result = self._asked, [], walked.result
        if not isinstance(result, Sequence) or len(result) != len(asked) or not asked:
            return
        found = [ref(one) for one in tensors(result)]
        if len(found) < len(asked):
            return
        self._gradients = {}
        for at, known in enumerate(asked):
            leaf = known()
            memory = None if leaf is None else storage_id(leaf)
            if memory is not None:
                self._gradients[memory] = at, found
        self._told.record.told_use[Mispaired] = self._used

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step: did a frozen parameter get the gradient of one of its?"""
        latest, self._latest = self._latest, None
        if latest is None:
            return
        asked = [one() for one in latest[1]]
        own = {id(one) for one in step.held}
        wanted = [one for one in asked if one is not None and id(one) in own]
        bare = [one for one in wanted if one.grad is None]
        if not bare or len(bare) == len(wanted) or len(wanted) < len(asked):
            return
        modules = modules_at_hand(self._told.sites)
        held = (one for module in modules for one in module.parameters())
        shapes = {one.shape for one in wanted}
        frozen = (one for one in held if not one.requires_grad and one.shape in shapes)
        if any(one.grad is not None for one in frozen):
            self._note(latest[0], bare[0])

    def _note(self, site: Site, tensor: torch.Tensor) -> None:
        self._times[site] = self._times.get(site, 0) + 1
        if self._times[site] == _AGAIN:
            name = name_of(tensor, self._told.sites)
            self._told.tell(Pitfall.FOREIGN_GRADIENT, site, tensor=name, detail=ANOTHER_LEAF)

    def _used(self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool) -> None:
        """An operator takes these: does it move a parameter?"""
        taken = tensors_in(given) if writes and site is not None else []
        if len(taken) != 2 or site is None or taken[0].shape != taken[1].shape:
            return
        at, found = self._gradients.get(storage_id(taken[0]) or 0, (-1, []))
        if at < 0 or not is_looked_at(taken[1]):
            return
        own = found[at]()
        others = (one() for number, one in enumerate(found) if number != at)
        if own is None or is_along(taken[1], own):
            return
        if any(one is not None and is_along(taken[1], one) for one in others):
            self._note(site, taken[0])
