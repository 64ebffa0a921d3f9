"""Attacks on the data whose gradients of the model are in its next step.

optimizer.zero_grad()
for _ in range(turns):
    loss(model(x + delta), y).backward()       # also fills the gradients of the model
    delta.data += rate * delta.grad.sign()
    delta.grad.zero_()
loss(model(x + delta.detach()), y).backward()  # adds to them
optimizer.step()

So are those of one turn that only some steps have, whose gradient of the data the program has read
(a saliency map).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.evaluations import Evaluations
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.private import storage_id, version_of
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.sites import Site

_AGAIN = 2  # steps that use such gradients
State = tuple[int | None, int | None]


@dataclass(slots=True)
class _Attack:
    """The calls of a place that fill the gradient of data, which was moved between them, and those
    of a model: one leaf of each; the state of the data at the latest call, whether the model was in
    evaluation mode then, how often the data had moved by then, the call of another place that has
    added to the gradient of the model alone, and whether that is wrong in any case.
    """

    site: Site
    data: ref[torch.Tensor]
    leaf: Leaf
    state: State
    is_evaluated: bool
    turns: int = 0
    added: Site | None = None
    is_apart: bool = False


class Attacked(Family):
    """Follows the latest attack; keeps nothing of it alive.

    An attack of one turn may belong to the loss, as that on the data as they were: not where the
    model is in evaluation mode for it, and in training mode for what comes after, or where the loss
    is mostly used without it.
    """

    __slots__ = (
        "_attack",
        "_evaluations",
        "_filled",
        "_pure",
        "_read",
        "_readers",
        "_times",
        "_told",
    )

    def __init__(self, told: Told, evaluations: Evaluations) -> None:
        self._told = told
        self._evaluations = evaluations
        self._attack: _Attack | None = None
        self._times = 0
        self._filled: Site | None = None  # the latest call that filled gradients of a model alone
        # Steps, by the one call whose gradients they use.
        self._pure: Counter[Site | None] = Counter()
        self._readers: set[Site] = set()  # the calls whose gradients of data the program reads
        self._read = 0  # steps that use what one of these has left

    def fills(self, leaves: list[Leaf], site: Site | None) -> None:
        """A call of the engine is about to add to the gradients of these leaves."""
        model = next((leaf for leaf in leaves if leaf.owned), None)
        if model is None or site is None:
            return
        data = next((leaf for leaf in leaves if not (leaf.owned or leaf.is_parameter)), None)
        known = self._attack
        is_on = known is not None and known.leaf is model and model.is_waiting
        tensor = data.tensor() if data is not None else None
        if data is None or tensor is None:
            self._filled = site
            if known is not None and is_on and site is not known.site:
                is_apart = known.is_evaluated and not self._is_evaluated(model)
                known.added, known.is_apart = site, is_apart or known.turns > 0
            return
        state = storage_id(tensor), version_of(tensor)
        is_turn = known is not None and is_on and known.site is site and known.data() is tensor
        if known is not None and is_turn:
            known.turns += state != known.state and not data.is_as_left
            known.state = state
        else:
            self._attack = _Attack(site, ref(tensor), model, state, self._is_evaluated(model))
            self._told.record.told_use[Attacked] = self._used

    def _used(self, given: tuple[Any, ...], site: Site | None, _: str, /, *, writes: bool) -> None:
        """An operator takes these: the gradient of the data?"""
        known = self._attack
        data = known.data() if known is not None else None
        gradient = data.grad if data is not None else None
        is_read = gradient is not None and any(one is gradient for one in tensors_in(given))
        if known is not None and is_read:
            self._readers.add(known.site)

    def _is_evaluated(self, leaf: Leaf) -> bool:
        tensor = leaf.tensor()
        return tensor is not None and self._evaluations.are_evaluated([tensor])

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use the gradients of these."""
        known, self._attack = self._attack, None
        self._told.record.told_use.pop(Attacked, None)
        if known is None:
            self._pure[self._filled] += 1
        tensor = known.leaf.tensor() if known is not None else None
        if known is None or known.added is None or not any(one is tensor for one in step.held):
            return
        self._times += known.is_apart
        self._read += known.site in self._readers and self._pure[known.added] >= _AGAIN
        if max(self._times, self._read) == _AGAIN:
            self._told.tell(
                Pitfall.FOREIGN_GRADIENT,
                known.site,
                tensor=None if tensor is None else name_of(tensor, self._told.sites),
                operator=type(step.optimizer).__name__,
                modified=stepped(step.site),
                needed=Needed(place_of(known.added), "backward"),
            )
