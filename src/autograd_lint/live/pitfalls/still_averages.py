"""Averages of a network that nothing trains: a copy of the trained one was taken before.

raw = copy.deepcopy(net)
average = AveragedModel(raw)
...
average.update_parameters(raw)          # `net` is trained
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import STANDS_STILL, Pitfall
from autograd_lint.live.contents import Digest, differ, digest
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import all_modules, name_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_AGAIN = 3  # rounds with steps between them
_MOST = 16  # sources of a place that are looked at
BLENDING = ("add_", "lerp_", "_foreach_add_", "_foreach_lerp_")


@dataclass(slots=True)
class _Average:
    """What is blended into others at a place, by its memory, with what it held at first; how many
    rounds there were, each after another step, whether anything of it ever moved, and the leaves
    that it is, with the name of the first, where it is the parameters of a network."""

    sources: dict[int, Digest | None] = field(default_factory=dict)
    rounds: int = 0
    steps: int = -1
    moves: bool = False
    leaves: list[Leaf] = field(default_factory=list)
    name: str | None = None


class StillAverages(Family):
    """Looks at what the program blends into something else; keeps none of it alive."""

    __slots__ = ("_averages", "_gradients", "_steps", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._averages: dict[Site, _Average] = {}
        self._steps = 0
        told.record.tell_of(BLENDING, self._blends)

    def updated(self, module: torch.nn.Module, site: Site | None) -> None:
        """An average of torch is about to follow a module."""
        if site is not None:
            for source in module.parameters():
                self._follow(source, site)

    def after_step(self, optimizer: Optimizer) -> None:
        """A step has ended."""
        self._steps += 1

    def _blends(
        self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool
    ) -> None:
        """Some are blended into others: have they moved since the first round?"""
        if site is None or site.optimizer is not None or torch.is_grad_enabled():
            return
        for source in tensors_in(given[1:2]):
            self._follow(source, site)

    def _follow(self, source: torch.Tensor, site: Site) -> None:
        known = self._averages.setdefault(site, _Average())
        memory = storage_id(source) if not known.moves else None
        if memory is None or (len(known.sources) >= _MOST and memory not in known.sources):
            return
        now = digest(source)
        known.moves = differ(known.sources.setdefault(memory, now), now)
        if self._steps != known.steps:
            known.rounds, known.steps = known.rounds + 1, self._steps
            if known.rounds == _AGAIN:
                self._look_at_networks(known)

    def _look_at_networks(self, known: _Average) -> None:
        """Are the sources parameters, which no optimizer has?"""
        leaves = {storage_id(one): one for one in _parameters()}
        found = [one for memory in known.sources if (one := leaves.get(memory)) is not None]
        if len(found) == len(known.sources) and all(one.requires_grad for one in found):
            known.leaves = [self._gradients.leaf(one) for one in found]
            known.name = name_of(found[0], self._told.sites)

    def trained(self) -> None:
        """The program has run to its end: which sources are networks that no step has moved?"""
        for site, known in self._averages.items():
            is_still = bool(known.leaves) and not known.moves
            if is_still and not any(one.owned for one in known.leaves):
                name = known.name
                self._told.tell(Pitfall.AVERAGE_REVERSED, site, tensor=name, detail=STANDS_STILL)


def _parameters() -> Iterator[torch.Tensor]:
    for module in all_modules():
        yield from module.parameters(recurse=False)
