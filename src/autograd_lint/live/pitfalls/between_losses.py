"""Gradients of one of two losses that are cleared before any step, in each iteration.

loss(critic(real), ones).backward()
optimizer.zero_grad()
loss(critic(fake.detach()), zeros).backward()
optimizer.step()                            # knows nothing of what is real
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import BETWEEN_LOSSES, Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Step, Walked
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import storage_id
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_AGAIN = 3  # steps, before each of which that was done
_MOST = 64  # leaves whose gradients are looked for
_HOOKS = "backward_hook_function"  # the node of a hook of a module, which may read gradients


@dataclass(slots=True)
class _Lost:
    """Where gradients were cleared, and the call that had filled them."""

    cleared: Site
    filled: Site


class _Round(NamedTuple):
    """What was cleared before a step, by what it went then, and in how many steps in a row."""

    filled: Site
    used: Site
    times: int


class BetweenLosses(Family):
    """Looks for gradients of an optimizer's own parameters alone that are always cleared, while
    those of another call are always used.

    From the second time on operators are looked at: gradients that are read may be there for that.
    Where the program has put hooks on tensors they may be there for these.
    """

    __slots__ = ("_asked", "_filled", "_gradients", "_hooked", "_lost", "_read", "_rounds", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._hooked = False
        self._asked: dict[Site, frozenset[int]] = {}  # the leaves of calls; none where it may read
        self._read: set[Site] = set()  # calls whose gradients an operator was given
        self._filled: tuple[Site, set[int | None]] | None = None  # the latest call, its memories
        self._lost: WeakKeyDictionary[Optimizer, list[_Lost]] = WeakKeyDictionary()
        self._rounds: WeakKeyDictionary[Optimizer, _Round] = WeakKeyDictionary()

    def hooked(self, tensor: torch.Tensor, hook: Any, site: Site | None) -> None:
        """A tensor is given a hook for its gradient."""
        self._hooked = True

    def look(self, walk: Walk) -> None:
        """A call of the engine begins: which gradients is it there for?"""
        if walk.site is not None and walk.site not in self._asked:
            is_hooked = _HOOKS in walk.kinds
            self._asked[walk.site] = frozenset(map(id, () if is_hooked else walk.asked))

    def after_backward(self, walked: Walked) -> None:
        """It has returned: are these gradients that were cleared before?"""
        site = walked.call.site
        self._told.record.told_use.pop(BetweenLosses, None)
        rounds = self._rounds.values() if self._rounds else ()
        if site is not None and any(site is one.filled for one in rounds):
            gradients = (one.grad for one in walked.tensors[:_MOST])
            self._filled = site, {storage_id(one) for one in gradients if one is not None}
            self._told.record.told_use[BetweenLosses] = self._used

    def _used(self, given: tuple[Any, ...], _: Site | None, __: str, /, *, writes: bool) -> None:
        """An operator takes these: such gradients?"""
        if self._filled is not None:
            site, memories = self._filled
            if any(storage_id(one) in memories for one in tensors_in(given)):
                self._read.add(site)

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """An optimizer is about to clear gradients: those that no step has used?"""
        self._told.record.told_use.pop(BetweenLosses, None)
        if self._hooked or site is None or not isinstance(owner, Optimizer):
            return
        if held and self._gradients.leaf(held[0]).used is not None:
            return
        leaves = [self._gradients.leaf(one) for one in held]
        filled = [leaf for leaf in leaves if leaf.filled is not None and leaf.is_as_left]
        first = filled[0].filled if filled else None
        asked = self._asked.get(first) if first is not None else None
        is_own = bool(asked) and asked is not None and asked <= set(map(id, held))
        is_unused = all(one.filled is first and one.times == 1 and not one.used for one in filled)
        if first is not None and is_own and is_unused:
            self._lost.setdefault(owner, []).append(_Lost(site, first))

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use what came after that: of another call?"""
        if not (self._lost or self._rounds):
            return
        lost = self._lost.pop(step.optimizer, [])
        leaves = (self._gradients.leaf(one) for one in step.held)
        used = next((leaf.filled for leaf in leaves if leaf.filled is not None), None)
        before = self._rounds.pop(step.optimizer, None)
        if len(lost) != 1 or used is None or used is lost[0].filled:
            return
        one = lost[0]
        is_same = before is not None and (before.filled, before.used) == (one.filled, used)
        times = before.times + 1 if before is not None and is_same else 1
        self._rounds[step.optimizer] = _Round(one.filled, used, times)
        if times >= _AGAIN and one.filled not in self._read:
            self._told.tell(
                Pitfall.ZERO_GRAD_BEFORE_STEP,
                one.cleared,
                detail=BETWEEN_LOSSES,
                modified=stepped(step.site),
                needed=Needed(place_of(one.filled), "backward"),
            )
