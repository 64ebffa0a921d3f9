"""Moving averages of a network with itself: it has a second name, and no copy was made.

target = critic
for p, q in zip(critic.parameters(), target.parameters()):
    q.data.mul_(0.99).add_(p.data, alpha=0.01)       # of what `q` holds itself
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import OWN_AVERAGE, Pitfall
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, parameters_of
from autograd_lint.live.private import storage_id
from autograd_lint.live.running_frames import frame_of
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site
from autograd_lint.live.writes import geometry_of

_AGAIN = 2  # rounds in which nothing but such averages is written at a place
_SCALING = frozenset({"mul_", "_foreach_mul_"})
_ADDING = frozenset({"add_", "_foreach_add_"})
_BLENDING = frozenset({"lerp_", "_foreach_lerp_"})
_COPYING = frozenset({"copy_", "_foreach_copy_"})
_WRITING = _SCALING | _ADDING | _BLENDING | _COPYING


@dataclass(slots=True)
class _Round:
    """The writes of one call of a function at a place: the parameter that was the first one, and
    whether each was an average of a parameter with itself."""

    call: tuple[Site, int, int]
    first: ref[torch.Tensor] | None
    is_own: bool


class OwnAverages(Family):
    """Looks at what the program writes to the parameters of optimizers; keeps none alive.

    Two networks may share some parameters, and be averaged as a whole: a round counts where nothing
    else is written in it. What blends a parameter with its own memory is one, and what gives it the
    values that it has, where a function has two names for it.
    """

    __slots__ = ("_gradients", "_leaves", "_round", "_scaled", "_times", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._leaves: dict[int, ref[torch.Tensor]] = {}  # by their memory
        self._scaled: int | None = None  # the memory that was scaled last
        self._round: _Round | None = None
        self._times: Counter[Site] = Counter()

    def after_step(self, optimizer: Optimizer) -> None:
        """An optimizer has stepped, for the first time perhaps."""
        if self._gradients.steps_of(optimizer) == 1:
            for tensor in parameters_of(optimizer):
                self._leaves[storage_id(tensor) or 0] = ref(tensor)
            self._told.record.tell_of(_WRITING, self._used)

    def replaced(self, tensor: torch.Tensor, value: torch.Tensor, site: Site) -> None:
        """The program sets the `.data` of a tensor."""
        known = self._leaves.pop(storage_id(tensor) or 0, None)
        if known is not None and known() is tensor:
            self._leaves[storage_id(value) or 0] = known
            self._note(tensor, site, is_own=_is_equal(tensor, value), blends=False)

    def _used(
        self, given: tuple[Any, ...], site: Site | None, operator: str, /, *, writes: bool
    ) -> None:
        """An operator that writes takes these: does it write to a parameter?"""
        if site is None or site.optimizer is not None:
            return
        for own, other in _pairs(given):
            known = self._leaves.get(storage_id(own) or 0)
            leaf = known() if known is not None else None
            if operator in _SCALING:
                self._scaled = storage_id(own)
            elif leaf is None or geometry_of(own) != geometry_of(leaf):
                self._note(None, site, is_own=False, blends=False)
            elif other is not None:
                is_same = storage_id(own) == storage_id(other)
                is_blend = operator in _BLENDING or self._scaled == storage_id(own)
                is_own = is_same if operator not in _COPYING else _is_equal(own, other)
                self._note(leaf, site, is_own=is_own, blends=is_blend and is_same)

    def _note(self, leaf: torch.Tensor | None, site: Site, *, is_own: bool, blends: bool) -> None:
        """A parameter is given something at a place, or what is none of an optimizer's."""
        self._scaled = None
        frame = frame_of(site)
        if frame is None:
            return
        before = frame.f_back
        call = site, id(frame), before.f_lasti if before is not None else 0
        is_own = leaf is not None and is_own and (blends or _has_two_names(frame, leaf))
        if self._round is None or self._round.call != call or self._begins_again(leaf):
            self._end_round()
            self._round = _Round(call, None if leaf is None else ref(leaf), is_own)
        else:
            self._round.is_own &= is_own

    def _begins_again(self, leaf: torch.Tensor | None) -> bool:
        """Whether the running round has begun with this parameter."""
        first = self._round.first if self._round is not None else None
        return leaf is not None and first is not None and first() is leaf

    def _end_round(self) -> None:
        ended, self._round = self._round, None
        leaf = ended.first() if ended is not None and ended.first is not None else None
        if ended is None or leaf is None or not ended.is_own:
            return
        site = ended.call[0]
        self._times[site] += 1
        if self._times[site] == _AGAIN:
            name = name_of(leaf, self._told.sites)
            self._told.tell(Pitfall.OWN_STATE, site, tensor=name, detail=OWN_AVERAGE)

    def trained(self) -> None:
        """The program has run to its end."""
        self._end_round()


def _pairs(given: tuple[Any, ...]) -> Iterator[tuple[torch.Tensor, torch.Tensor | None]]:
    """What an operator writes to, each with what it takes for that."""
    first = tensors_in(given[:1])
    others = tensors_in(given[1:2])
    for at, own in enumerate(first):
        yield own, others[at] if at < len(others) else None


def _is_equal(own: torch.Tensor, other: torch.Tensor) -> bool:
    is_seen = own.device.type == other.device.type == "cpu" and own.shape == other.shape
    return is_seen and torch.allclose(own.detach(), other.detach().to(own.dtype), rtol=1e-4)


def _has_two_names(frame: FrameType, leaf: torch.Tensor) -> bool:
    """Whether two variables of a function are one parameter."""
    return sum(value is leaf for value in list(frame.f_locals.values())) > 1
