"""Steps and averages that are rounded away: a number of 16 bits holds two or three digits.

model.to(torch.bfloat16)
torch.optim.AdamW(model.parameters(), lr=1e-5)      # 0.5 + 1e-5 is 0.5

average.mul_(0.999).add_(weight, alpha=0.001)       # of an average in bfloat16
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary, ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.pitfalls import ROUNDED, Pitfall
from autograd_lint.live.contents import Digest, differ, digest
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.still_averages import BLENDING
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_AGAIN = 3  # steps, or rounds of an average, that change nothing
_SHARE = 0.99  # of the elements with a gradient
_ELEMENTS, _TENSORS = 4096, 8  # that are looked at
_COARSE = (torch.bfloat16, torch.float16)
_OPTIMIZERS = "torch.optim"  # others may keep what is rounded away


@dataclass(slots=True)
class _Steps:
    """Those of one optimizer: where, how many there were, what the parameters held before the one
    that is looked at, how many changed next to nothing, and whether one changed more."""

    site: Site | None
    times: int = 0
    before: list[tuple[ref[torch.Tensor], torch.Tensor]] | None = None
    idle: int = 0
    moves: bool = False


@dataclass(slots=True)
class _Average:
    """A tensor that is blended at a place: what it held at first, and its source; how often it held
    the same again while the source was another one, and whether it ever held anything else."""

    tensor: ref[torch.Tensor]
    held: Digest | None
    source: Digest | None
    times: int = 0
    moves: bool = False


class Coarse(Family):
    """Looks at a few elements before and after the steps 1, 2, 4, 8, ..., and at one average of a
    place; keeps no tensor alive."""

    __slots__ = ("_averages", "_known", "_steps", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._steps: WeakKeyDictionary[Optimizer, _Steps] = WeakKeyDictionary()
        self._known: list[_Steps] = []
        self._averages: dict[Site, _Average] = {}
        told.record.tell_of(BLENDING, self._blends)

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step."""
        known = self._steps.get(step.optimizer)
        if known is None:
            known = self._steps[step.optimizer] = _Steps(step.site)
            known.moves = not _is_coarse(step)
            self._known.append(known)
        known.times += 1
        if not known.moves and not known.times & (known.times - 1):
            held = [one for one in step.held if _is_looked_at(one)][:_TENSORS]
            known.before = [(ref(one), _some(one).clone()) for one in held]

    def after_step(self, optimizer: Optimizer) -> None:
        """A step has ended: what has it changed?"""
        known = self._steps.get(optimizer)
        before = known.before if known is not None else None
        if known is None or not before:
            return
        known.before = None
        pairs = [(tensor, held) for one, held in before if (tensor := one()) is not None]
        fed = sum(int((_some(one.grad) != 0).sum()) for one, _ in pairs if one.grad is not None)
        changed = sum(int((_some(one) != held).sum()) for one, held in pairs)
        known.moves = changed > (1 - _SHARE) * fed
        known.idle += fed > 0

    def _blends(
        self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool
    ) -> None:
        """These are blended: an average of 16 bits, and what it is to follow?"""
        if site is None or site.optimizer is not None or len(given) < 2:
            return
        own, other = tensors_in(given[:1]), tensors_in(given[1:2])
        if not own or not other or not _is_looked_at(own[0]) or own[0].requires_grad:
            return
        known = self._averages.get(site)
        if known is None:
            source = digest(other[0])
            self._averages[site] = _Average(ref(own[0]), digest(own[0]), source)
        elif known.tensor() is own[0] and not known.moves:
            known.moves = differ(known.held, digest(own[0]))
            known.times += differ(known.source, digest(other[0]))

    def trained(self) -> None:
        """The program has run to its end."""
        for known in self._known:
            if known.idle >= _AGAIN and not known.moves:
                self._told.tell(Pitfall.RATE_WITHOUT_EFFECT, known.site, detail=ROUNDED)
        for site, average in self._averages.items():
            tensor = average.tensor()
            if average.times >= _AGAIN and not average.moves and tensor is not None:
                name = name_of(tensor, self._told.sites)
                self._told.tell(Pitfall.AVERAGE_REVERSED, site, tensor=name, detail=ROUNDED)


def _is_coarse(step: Step) -> bool:
    """Whether all that an optimizer of torch has is of 16 bits, and on the CPU."""
    is_torchs = type(step.optimizer).__module__.startswith(_OPTIMIZERS)
    rates = [group.get("lr") for group in step.optimizer.param_groups]
    return is_torchs and any(rates) and all(map(_is_looked_at, step.held))


def _is_looked_at(tensor: torch.Tensor) -> bool:
    return tensor.dtype in _COARSE and tensor.device.type == "cpu"


def _some(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().flatten()[:_ELEMENTS]
