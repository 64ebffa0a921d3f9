"""The gradients of parameters, from backward to backward and step to step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import NOWHERE, Rows, Sights
from autograd_lint.live.contents import Digest, differ, digest
from autograd_lint.live.private import version_of

_PILE = 3  # backwards that add up before it counts as never cleared


@dataclass(slots=True)
class _Known:
    """One leaf: `used` is a digest of the gradient that a step has used, `fresh` the rows of the
    backwards since it was last cleared, `cleared` those of what cleared it unused. `left` are the
    digests of leaf and gradient after the last backward, for programs without optimizer. `passed`
    are the rows of what was to begin anew and left its gradient, `piled` with the next backward,
    `froze` those that switched `requires_grad` off. `state` is that of the gradient after
    the last backward: one of zeros that is untouched was not cleared. `reached` says that some
    call computed a gradient, `fed` that the leaf got one."""

    leaf: torch.Tensor
    used: Digest | None = None
    left: tuple[Digest | None, Digest | None] | None = None
    stale: Rows = NOWHERE
    fresh: Rows = NOWHERE
    cleared: Rows = NOWHERE
    passed: Rows = NOWHERE
    piled: Rows = NOWHERE
    froze: Rows = NOWHERE
    state: tuple[int, int | None] | None = None
    backwards: int = 0
    reached: bool = False
    fed: bool = False
    owned: bool = False


class Gradients:
    """Follows the gradient of every leaf that backward or an optimizer knows."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._leaves: dict[int, _Known] = {}
        self._steps = 0
        self._built: Rows = NOWHERE
        self._still: list[tuple[_Known, Digest | None]] = []  # what the running step is to leave

    def before_backward(self, leaves: Iterable[torch.Tensor], rows: Rows) -> None:
        """Backward is about to add to the gradients of these leaves."""
        for leaf in leaves:
            known = self._known(leaf)
            known.piled |= known.passed
            if leaf.grad is None or (not _is_nonzero(leaf.grad) and _state(leaf) != known.state):
                known.fresh, known.passed, known.backwards = NOWHERE, NOWHERE, 0
            elif known.used is not None and not differ(known.used, digest(leaf.grad)):
                known.stale |= rows
            elif known.left is not None and _updated(leaf, leaf.grad, known.left):
                if known.stale:
                    self._sights.add(Pitfall.MISSING_ZERO_GRAD, known.stale, rows)
                known.stale |= rows

    def look_at_frozen(self, leaves: Iterable[torch.Tensor]) -> None:
        """Backward is about to come to leaves that do not require grad any more."""
        for leaf in leaves:
            if not leaf.requires_grad and leaf.grad is None:
                self._sights.add(Pitfall.GRADIENT_CUT, self._known(leaf).froze)

    def reached(self, leaves: Iterable[torch.Tensor], *, accumulated: bool) -> None:
        """A call has computed gradients of these leaves, and perhaps put them into `.grad`."""
        for leaf in leaves:
            known = self._known(leaf)
            known.reached = True
            known.fed = known.fed or accumulated

    def after_backward(self, leaves: Iterable[torch.Tensor], rows: Rows) -> None:
        """Backward has added to them."""
        for leaf in leaves:
            known = self._known(leaf)
            known.cleared, known.used = NOWHERE, None
            known.fresh |= rows
            known.backwards += 1
            known.state = _state(leaf)
            gradient = leaf.grad
            known.left = None
            if gradient is not None and not self._steps:
                known.left = digest(leaf), digest(gradient)
            if gradient is not None and gradient.requires_grad:
                self._sights.add(Pitfall.GRADIENT_KEEPS_GRAPH, rows)

    def before_step(self, parameters: Iterable[torch.Tensor], rows: Rows) -> None:
        """An optimizer is about to use the gradients of its parameters."""
        self._steps += 1
        known = [self._known(parameter) for parameter in parameters]
        self._still = [(one, digest(one.leaf)) for one in known if _is_frozen_with_old(one)]
        lost = [one for one in known if one.cleared and not _has_gradient(one.leaf)]
        for one in lost:
            self._sights.add(Pitfall.ZERO_GRAD_BEFORE_STEP, one.cleared, rows)
        if known and not any(_has_gradient(one.leaf) for one in known) and not lost:
            self._sights.add(Pitfall.STEP_BEFORE_BACKWARD, rows)
        for one in known:
            one.owned, one.backwards = True, 0
            one.fed = one.fed or _has_gradient(one.leaf)
            if one.stale:
                self._sights.add(Pitfall.MISSING_ZERO_GRAD, one.stale, rows)
            one.used = digest(one.leaf.grad) if one.leaf.grad is not None else None
            one.stale = NOWHERE

    def after_step(self, rows: Rows) -> None:
        """It has returned."""
        for one, before in self._still:
            if differ(before, digest(one.leaf)):
                self._sights.add(Pitfall.FROZEN_MOVES, one.froze, rows)
        self._still = []

    def before_clearing(self, parameters: Iterable[torch.Tensor], rows: Rows) -> None:
        """Gradients are about to be cleared; those that no step has used are lost."""
        cleared = [self._known(parameter) for parameter in parameters]
        for known in self._leaves.values():
            if not any(known is one for one in cleared):
                self._pass_by(known, rows)
        for known in cleared:
            parameter = known.leaf
            known.stale = NOWHERE
            if known.reached and known.used is None and _has_gradient(parameter):
                known.cleared |= rows

    def flagged_again(self, leaf: torch.Tensor, rows: Rows) -> None:
        """A leaf is told to require grad that does already."""
        self._pass_by(self._known(leaf), rows)

    def frozen(self, leaf: torch.Tensor, rows: Rows) -> None:
        """A leaf is told not to require grad any more."""
        self._known(leaf).froze = rows

    def _pass_by(self, known: _Known, rows: Rows) -> None:
        if known.reached and _has_gradient(known.leaf):
            known.passed |= rows

    def at_clipping(self, parameters: Iterable[torch.Tensor], rows: Rows) -> None:
        """Gradients are clipped: in vain where there are none, or where a step has used them."""
        known = [self._known(parameter) for parameter in parameters]
        if not any(_has_gradient(one.leaf) and one.used is None for one in known):
            self._sights.add(Pitfall.CLIP_IN_VAIN, rows)

    def built_for(self, rows: Rows) -> None:
        """An optimizer was built."""
        self._built |= rows

    def unreached(self) -> list[torch.Tensor]:
        """The parameters of optimizers whose `.grad` was never filled."""
        return [one.leaf for one in self._leaves.values() if one.owned and not one.fed]

    def all_reached(self) -> set[int] | None:
        """The leaves that backward got to, by identity; None in a program with an optimizer."""
        if self._built or self._steps:
            return None
        return set(map(id, self.gotten_to()))

    def unowned(self) -> list[torch.Tensor]:
        """The parameters that backward got to, and no optimizer that stepped has."""
        found = self._leaves.values() if self._steps else ()
        return [
            one.leaf
            for one in found
            if one.reached and not one.owned and isinstance(one.leaf, torch.nn.Parameter)
        ]

    def gotten_to(self) -> list[torch.Tensor]:
        """The leaves that backward got to."""
        return [one.leaf for one in self._leaves.values() if one.reached]

    def at_end(self) -> None:
        """The witness has run to its end."""
        if self.unreached():
            self._sights.add(Pitfall.NO_GRADIENTS, self._built)
        for known in self._leaves.values():
            if known.backwards > _PILE:
                self._sights.add(Pitfall.GRADIENTS_PILE_UP, known.fresh)
            if known.piled and not known.owned:
                self._sights.add(Pitfall.GRADIENTS_PILE_UP, known.piled, known.fresh)

    def _known(self, leaf: torch.Tensor) -> _Known:
        return self._leaves.setdefault(id(leaf), _Known(leaf))


def _is_frozen_with_old(known: _Known) -> bool:
    """Whether a leaf that is to stay as it is has a gradient, which a step has used before."""
    gradient = known.leaf.grad
    if known.leaf.requires_grad or gradient is None or known.used is None:
        return False
    return not differ(known.used, digest(gradient))


def _state(leaf: torch.Tensor) -> tuple[int, int | None] | None:
    """Which tensor a gradient is, and how often it was written."""
    return None if leaf.grad is None else (id(leaf.grad), version_of(leaf.grad))


def _updated(
    leaf: torch.Tensor, gradient: torch.Tensor, before: tuple[Digest | None, Digest | None]
) -> bool:
    """Whether the program itself has changed a leaf, and left its gradient as it was."""
    return differ(before[0], digest(leaf)) and not differ(before[1], digest(gradient))


def _has_gradient(leaf: torch.Tensor) -> bool:
    return leaf.grad is not None and _is_nonzero(leaf.grad)


def _is_nonzero(gradient: torch.Tensor) -> bool:
    return bool(gradient.detach().ne(0).any())
