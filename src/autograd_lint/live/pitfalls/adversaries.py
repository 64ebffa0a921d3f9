"""Gradients that the loss of one network leaves in the network that it judges.

fake = generator(noise)
judged = loss(discriminator(real), 1) + loss(discriminator(fake), 0)     # `fake` is not detached
judged.backward()                          # fills the gradients of the generator, too
discriminator_optimizer.step()
loss(discriminator(generator(noise)), 1).backward()                      # adds to them
generator_optimizer.step()
discriminator_optimizer.zero_grad()        # what the second loss has left there is dropped
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_AGAIN = 2  # steps that use what another one has dropped
_MOST = 8  # optimizers that are told apart


@dataclass(slots=True)
class _Mixed:
    """A step that has used the gradients of two losses: where both were, and its own place."""

    first: Site
    second: Site | None
    step: Site | None
    leaf: Leaf


@dataclass(slots=True)
class _Player:
    """An optimizer: its parameters, the backward that filled one of them first, with that one, the
    others that this has reached and that have stepped since; the backward that has added to it, and
    whom that has reached; the step that used both, by who is expected to drop the second, who has
    dropped it, and how many such steps there were."""

    own: set[int]
    filled: Site | None = None
    leaf: Leaf | None = None
    beside: set[int] = field(default_factory=set)
    added: tuple[Site | None, set[int]] | None = None
    mixed: dict[int, _Mixed] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    rounds: int = 0


class Adversaries(Family):
    """Follows which of several optimizers use, and which drop, what a loss fills in both."""

    __slots__ = ("_gradients", "_players", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._players: dict[int, _Player] = {}  # by the optimizer

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built."""
        if len(self._players) < _MOST:
            self._players[id(optimizer)] = _Player(set(map(id, held)))

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: whose gradients does it fill?"""
        if len(self._players) < 2 or walk.site is None or not walk.accumulates:
            return
        leaves = {id(leaf): leaf for leaf in walk.asked}
        reached = {key for key, one in self._players.items() if not one.own.isdisjoint(leaves)}
        for key in reached:
            one = self._players[key]
            is_left = one.leaf is not None and one.leaf.is_waiting
            if is_left and one.added is None:
                one.added = walk.site, reached - {key}
            elif not is_left:
                first = next(leaf for leaf in leaves if leaf in one.own)
                one.filled, one.leaf = walk.site, self._gradients.leaf(leaves[first])
                one.beside, one.added = set(), None

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step: by two losses, between which another one has stepped?"""
        key = id(step.optimizer)
        own = self._players.get(key)
        if own is None or len(self._players) < 2:
            return
        for one in self._players.values():
            if one.mixed.pop(key, None) is not None:  # it drops nothing
                one.dropped.discard(key)
            if one.added is None:
                one.beside.add(key)
        if own.added is not None and own.filled is not None and own.leaf is not None:
            second, reached = own.added
            for other in own.beside & reached - {key}:
                own.mixed[other] = _Mixed(own.filled, second, step.site, own.leaf)
                own.rounds += 1
                if own.rounds >= _AGAIN and other in own.dropped:
                    self._tell(own.mixed[other])
        own.filled = own.leaf = own.added = None
        own.beside = set()

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """An optimizer is about to clear its gradients: does it drop those of the second loss?"""
        for own in self._players.values():
            if own.mixed.pop(id(owner), None) is not None:
                own.dropped.add(id(owner))

    def _tell(self, mixed: _Mixed) -> None:
        tensor = mixed.leaf.tensor()
        self._told.tell(
            Pitfall.FOREIGN_GRADIENT,
            mixed.first,
            tensor=None if tensor is None else name_of(tensor, self._told.sites),
            modified=stepped(mixed.step),
            needed=Needed(place_of(mixed.second), "backward"),
        )
