"""Attacks on the data whose gradients of the model are in its next step.

optimizer.zero_grad()
for _ in range(turns):
    loss(model(x + delta), y).backward()       # also fills the gradients of the model
    delta.data += rate * delta.grad.sign()
    delta.grad.zero_()
loss(model(x + delta.detach()), y).backward()  # adds to them
optimizer.step()
"""

from __future__ import annotations

from dataclasses import dataclass
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
from autograd_lint.live.sites import Site

_AGAIN = 2  # steps that use such gradients
State = tuple[int | None, int | None]


@dataclass(slots=True)
class _Attack:
    """The calls of a place that fill the gradient of data, which was moved between them, and those
    of a model: one leaf of each; the state of the data at the latest call, whether the model was in
    evaluation mode then, how often the data had moved by then, and the call of another place that
    has added to the gradient of the model alone."""

    site: Site
    data: ref[torch.Tensor]
    leaf: Leaf
    state: State
    is_evaluated: bool
    turns: int = 0
    added: Site | None = None


class Attacked(Family):
    """Follows the latest attack; keeps nothing of it alive.

    An attack of one turn may belong to the loss, as that on the data as they were: not where the
    model is in evaluation mode for it, and in training mode for what comes after.
    """

    __slots__ = ("_attack", "_evaluations", "_times", "_told")

    def __init__(self, told: Told, evaluations: Evaluations) -> None:
        self._told = told
        self._evaluations = evaluations
        self._attack: _Attack | None = None
        self._times = 0

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
            if known is not None and is_on and site is not known.site:
                is_apart = known.is_evaluated and not self._is_evaluated(model)
                known.added = site if known.turns or is_apart else None
            return
        state = storage_id(tensor), version_of(tensor)
        is_turn = known is not None and is_on and known.site is site and known.data() is tensor
        if known is not None and is_turn:
            known.turns += state != known.state and not data.is_as_left
            known.state = state
        else:
            self._attack = _Attack(site, ref(tensor), model, state, self._is_evaluated(model))

    def _is_evaluated(self, leaf: Leaf) -> bool:
        tensor = leaf.tensor()
        return tensor is not None and self._evaluations.are_evaluated([tensor])

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use the gradients of these."""
        known, self._attack = self._attack, None
        tensor = known.leaf.tensor() if known is not None else None
        if known is None or known.added is None or not any(one is tensor for one in step.held):
            return
        self._times += 1
        if self._times == _AGAIN:
            self._told.tell(
                Pitfall.FOREIGN_GRADIENT,
                known.site,
                tensor=None if tensor is None else name_of(tensor, self._told.sites),
                operator=type(step.optimizer).__name__,
                modified=stepped(step.site),
                needed=Needed(place_of(known.added), "backward"),
            )
