"""Terms that are added to a loss, and backward begins at the loss without them.

total = loss + penalty(net)             # logged, or returned to who drops it
loss.backward()
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import torch

from autograd_lint.engine.events import Needed, Noted
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told, tensors
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import sequence_number
from autograd_lint.live.sites import Site

_AGAIN = 2  # sums at a place of which backward leaves terms out


@dataclass(slots=True)
class _Sum:
    """The number of the node of a sum, those of its terms, the calls that led to it, which terms
    gradients have got to, by which call first, and whether any has gone through the sum."""

    number: int
    terms: set[int]
    callers: tuple[Noted, ...]
    met: set[int] = field(default_factory=set)
    begun: Needed | None = None
    is_used: bool = False


class LeftTerms(Family):
    """Knows the latest sum of two numbers with graphs at each place."""

    __slots__ = ("_backward", "_sums", "_times", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._backward = 0  # the next node's number when the latest one began
        self._sums: dict[Site, _Sum] = {}
        self._times: Counter[Site] = Counter()
        told.record.tell_of(("add",), self._used)

    def _used(self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool) -> None:
        """These are added: two losses that were computed since the latest backward?"""
        both = [one for one in tensors(given[:2]) if not one.dim() and one.requires_grad]
        if site is None or len(both) != 2:
            return
        terms = set(graph.numbers_of(graph.roots_of(both)))
        if len(terms) == 2 and min(terms) >= self._backward and torch.is_grad_enabled():
            self._judge(site)
            self._sums[site] = _Sum(sequence_number() - 1, terms, self._told.callers())

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: does it go through a term, and not through the sum?"""
        self._backward = sequence_number()
        numbers = set(walk.numbers) if self._sums else set()
        for known in self._sums.values():
            known.is_used |= known.number in numbers
            known.met |= known.terms & numbers
            if known.met and known.begun is None:
                known.begun = Needed(place_of(walk.site), walk.name)

    def trained(self) -> None:
        """The program has run to its end."""
        self._judge(*self._sums)

    def _judge(self, *sites: Site) -> None:
        """The latest sums there have had their time: which lack a backward?"""
        for site in sites:
            known = self._sums.pop(site, None)
            if known is None or known.is_used or len(known.met) != 1:
                continue
            self._times[site] += 1
            if self._times[site] == _AGAIN:
                self._told.tell(
                    Pitfall.LOSS_LEFT_OUT, site, needed=known.begun, noted=known.callers
                )
