"""The order of backward, clearing, clipping and step: gradients that are lost, stale or frozen."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from types import CodeType
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Created, Modified, Needed, Noted
from autograd_lint.engine.pitfalls import NO_BACKWARD, Pitfall
from autograd_lint.live.bindings import freezings_in
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Step, Walked
from autograd_lint.live.pitfalls.leaves import Leaf, has_gradient, state_of
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, parameters_of, stepped, tensors
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import version_of
from autograd_lint.live.sites import Site
from autograd_lint.live.source import line

_ROUNDS = 3  # after which gradients are taken to pile up


@dataclass(slots=True)
class _Steps:
    """What is known of one optimizer: `fed` says that a step of it has found a gradient,
    `cleared` where its `zero_grad` was called first, `clears` how often, `closure` is the code that
    is to compute its gradients."""

    optimizer: ref[Optimizer]
    built: Site | None
    closure: CodeType | None = None
    first: Site | None = None
    times: int = 0
    fed: bool = False
    leaves: list[Leaf] = field(default_factory=list)
    frozen: list[tuple[torch.Tensor, int | None]] = field(default_factory=list)
    cleared: Site | None = None
    clears: int = 0


class Gradients(Family):
    """Follows the gradient of every leaf that backward or an optimizer knows; keeps none alive."""

    __slots__ = ("_copies", "_froze", "_gone", "_leaves", "_steps", "_told", "backwards", "filling")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._leaves: dict[int, Leaf] = {}
        self._copies: dict[int, tuple[Leaf, Site | None]] = {}  # by the leaf of the original
        self._froze: dict[int, Site] = {}
        self._steps: dict[int, _Steps] = {}
        self._gone: list[_Steps] = []
        self.backwards = 0
        self.filling: list[Leaf] = []

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built."""
        steps = self._of(optimizer)
        steps.built = site
        self._own(steps, held)

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: `filling` are the leaves to whose gradients it adds."""
        reached = [self.leaf(tensor) for tensor in walk.asked]
        for leaf in reached:
            leaf.reached = True
        self.filling = reached if walk.accumulates else []
        self.backwards += walk.accumulates
        for leaf in self.filling:
            if leaf.is_as_used:
                leaf.stale = walk.site

    def after_backward(self, walked: Walked) -> None:
        """It has added to them."""
        call, self.filling = walked.call, []
        for leaf in walked.filled:
            tensor = leaf.tensor()
            if tensor is None:
                continue
            leaf.last = state_of(tensor)
            leaf.backwards += leaf.last is not None
            leaf.times += leaf.last is not None
            if leaf.flagged is not None and leaf.times > 1:
                needed = Needed(place_of(call.site), call.name)
                self._told.tell(
                    Pitfall.GRADIENTS_PILE_UP,
                    leaf.flagged,
                    operator="requires_grad_",
                    needed=needed,
                )
            leaf.filled, leaf.lost, leaf.used = call.site, None, None
            if leaf.clipped is not None and leaf.last is not None:
                needed = Needed(place_of(call.site), call.name)
                self._told.tell(Pitfall.CLIP_IN_VAIN, leaf.clipped, needed=needed)
                leaf.clipped = None

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use the gradients of its parameters."""
        optimizer, held, site = step
        steps = self._of(optimizer)
        steps.times += 1
        steps.first = steps.first or site
        leaves = self._own(steps, held)
        if any(leaf.filled for leaf in leaves) or any(has_gradient(one) for one in held):
            steps.fed = True
        elif not steps.fed:
            lost = next((leaf.lost for leaf in leaves if leaf.lost is not None), None)
            self._told.tell(Pitfall.ZERO_GRAD_BEFORE_STEP, lost, modified=stepped(site))
        stale = [leaf for leaf in leaves if leaf.stale is not None]
        for leaf in stale:
            leaf.again += 1
        never = next((leaf for leaf in stale if leaf.again >= leaf.meant), None)
        if never is not None:
            self._told.tell(Pitfall.MISSING_ZERO_GRAD, never.stale, modified=stepped(site))
        self._uses(steps, held)

    def asks(self, optimizer: Optimizer, closure: Any, site: Site | None) -> None:
        """An optimizer of torch is about to have a closure compute its gradients."""
        code = getattr(closure, "__code__", None)
        if type(optimizer).__module__.startswith("torch.optim") and isinstance(code, CodeType):
            steps = self._of(optimizer)
            steps.times, steps.first = steps.times + 1, steps.first or site
            steps.closure = code
            self._own(steps, parameters_of(optimizer))

    def _uses(self, steps: _Steps, held: list[torch.Tensor]) -> None:
        """A step uses the gradients as they are."""
        steps.frozen = []
        for leaf, tensor in zip(steps.leaves, held, strict=True):
            leaf.used, leaf.stale, gradient = None, None, tensor.grad
            if gradient is None:
                continue
            leaf.used, leaf.moved = (id(gradient), version_of(gradient)), True
            if not tensor.requires_grad and tensor.is_leaf and leaf.backwards:
                steps.frozen.append((tensor, version_of(tensor)))

    def after_step(self, optimizer: Optimizer) -> None:
        """It has."""
        steps = self._of(optimizer)
        if steps.closure is not None:  # of which the last gradient may be zero
            steps.fed |= any(one.grad is not None for one in parameters_of(optimizer))
            self._look_at_lost(steps)
        for one, version in steps.frozen:
            if version_of(one) != version:
                site = self._told.here()
                set_in = freezings_in(site.filename) if site is not None else []
                set_at = set_in[0] if len(set_in) == 1 else site
                frozen = self._froze.get(id(one), set_at)
                self._told.tell(Pitfall.FROZEN_MOVES, frozen, modified=stepped(site))
        steps.frozen = []

    def _look_at_lost(self, steps: _Steps) -> None:
        """A closure has computed gradients for a step: has it cleared them as well, at its end?"""
        lost = [leaf.lost for leaf in steps.leaves if leaf.filled is None]
        cleared = next((one for one in lost if one is not None), None)
        if not steps.fed and len(lost) == len(steps.leaves):
            site = self._told.here()
            self._told.tell(Pitfall.ZERO_GRAD_BEFORE_STEP, cleared, modified=stepped(site))

    def flagged(self, tensor: torch.Tensor, site: Site | None) -> None:
        """A leaf is told to require grad: does it hold the gradient of an earlier backward?"""
        if not tensor.requires_grad and id(tensor) in self._froze:
            self.leaf(tensor).is_wanted = True
        known = self._leaves.get(id(tensor))
        if known is None or known.tensor() is not tensor or known.is_parameter or known.owned:
            return
        same = known.last is not None and known.last == state_of(tensor)
        known.flagged = site if same and tensor.requires_grad else None

    def froze(self, tensor: torch.Tensor, site: Site | None) -> None:
        """A leaf was told not to require grad."""
        if site is not None:
            self._froze[id(tensor)] = site

    def copied(self, copy: torch.Tensor, original: torch.Tensor, site: Site | None) -> None:
        """A parameter was copied."""
        self._copies[id(self.leaf(original))] = self.leaf(copy), site

    def where_frozen(self, tensor: torch.Tensor) -> Site | None:
        """Where a leaf was told not to require grad."""
        return self._froze.get(id(tensor))

    def filled(self, tensor: torch.Tensor) -> bool:
        """Whether any backward has filled the gradient of a leaf."""
        return self.leaf(tensor).backwards > 0

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """Gradients are about to be cleared; those that no step has used are lost."""
        if isinstance(owner, Optimizer):
            steps = self._of(owner)
            steps.cleared, steps.clears = steps.cleared or site, steps.clears + 1
        for tensor in held:
            leaf = self.leaf(tensor)
            leaf.cleared, leaf.stale, leaf.times, leaf.again = True, None, 0, 0
            if leaf.filled is not None and leaf.used is None and tensor.grad is not None:
                leaf.lost = site
            leaf.filled = None

    def clipping(self, given: Any, limit: Any, site: Site | None) -> None:
        """Gradients are about to be clipped."""
        if not isinstance(given, (list, tuple, torch.Tensor)):
            return  # a generator can be gone through only once
        if isinstance(limit, (int, float)) and math.isinf(limit):
            return  # only the norm is asked for
        held = [given] if isinstance(given, torch.Tensor) else list(given)
        self._look_at_clipped([one for one in held if isinstance(one, torch.Tensor)], site)

    def _look_at_clipped(self, held: list[torch.Tensor], site: Site | None) -> None:
        with_gradient = [one for one in held if has_gradient(one)]
        leaves = [self.leaf(one) for one in with_gradient]
        if not with_gradient:
            for one in held:
                self.leaf(one).clipped = site
        elif all(
            leaf.used is not None and leaf.used == state_of(one)
            for leaf, one in zip(leaves, with_gradient, strict=True)
        ):
            self._told.tell(Pitfall.CLIP_IN_VAIN, site)

    def at_end(self) -> None:
        """All was seen that is to be judged: optimizers that no gradient ever got to."""
        for steps in [*self._gone, *self._steps.values()]:
            self._look_at_clears(steps)
            if not steps.times or steps.fed:
                continue
            leaves = steps.leaves
            filled = any(leaf.backwards for leaf in leaves)
            lost = any(leaf.lost for leaf in leaves)
            if filled and not lost:
                self._told.tell(Pitfall.STEP_BEFORE_BACKWARD, steps.first)
            elif not filled:
                self._tell_of_none(steps)

    def _tell_of_none(self, steps: _Steps) -> None:
        """No gradient ever got to the parameters of an optimizer."""
        built, step = steps.built, steps.first
        noted = [*_begins(steps.closure), *self._trained_copies(steps)]
        if self.backwards or step is None:
            modified = Modified(step.place, "step", None, 0) if step else None
            self._told.tell(Pitfall.NO_GRADIENTS, built, modified=modified, noted=noted)
        else:
            made = Created(built.place, "optimizer") if built is not None else None
            self._told.tell(Pitfall.NO_GRADIENTS, step, detail=NO_BACKWARD, built=made, noted=noted)

    def _trained_copies(self, steps: _Steps) -> Iterator[Noted]:
        """Where the parameters of an optimizer were copied, if gradients get to the copy."""
        for copy, site in filter(None, (self._copies.get(id(leaf)) for leaf in steps.leaves)):
            if copy.reached and site is not None:
                yield Noted(site.place, "copied here: the copy gets the gradients")
                return

    def _look_at_clears(self, steps: _Steps) -> None:
        """An optimizer that never had a gradient to clear, while others pile up."""
        if steps.clears < _ROUNDS or any(leaf.reached for leaf in steps.leaves):
            return
        for leaf in self._leaves.values():
            if leaf.is_as_left and leaf.times >= _ROUNDS and not (leaf.owned or leaf.cleared):
                needed = Needed(place_of(leaf.filled), "backward")
                self._told.tell(
                    Pitfall.GRADIENTS_PILE_UP, steps.cleared, operator="zero_grad", needed=needed
                )
                return

    def latest_built(self) -> Created | None:
        """Where the latest optimizer was built that has found gradients; None where none has."""
        known = [one for one in (*self._gone, *self._steps.values()) if one.fed]
        site = known[-1].built if known else None
        return Created(site.place, "optimizer") if site is not None else None

    def built_with(self, tensor: torch.Tensor) -> Created | None:
        """Where the optimizer was built that has a parameter."""
        leaf = self.leaf(tensor)
        has_it = (any(one is leaf for one in steps.leaves) for steps in self._steps.values())
        known = compress(self._steps.values(), has_it)
        site = next((steps.built for steps in known), None)
        return Created(site.place, "optimizer") if site is not None else None

    def settled(self, optimizer: Optimizer) -> None:
        """It has stepped some times: is there a group of it without any gradient?"""
        groups = [tensors(group["params"]) for group in optimizer.param_groups]
        for group in groups if len(groups) > 1 else ():
            leaves = [self.leaf(one) for one in group if one.requires_grad]
            if not any(leaf.reached for leaf in leaves):
                for leaf in leaves:
                    leaf.is_wanted = True

    def have_stepped(self) -> bool:
        """Whether any optimizer has stepped."""
        return any(one.times for one in (*self._gone, *self._steps.values()))

    def owned(self) -> set[int]:
        """The parameters, by identity, of all optimizers that there are."""
        optimizers = (steps.optimizer() for steps in self._steps.values())
        return {
            id(one)
            for optimizer in optimizers
            if optimizer is not None
            for one in parameters_of(optimizer)
        }

    def steps_of(self, optimizer: Optimizer) -> int:
        """How often an optimizer has stepped."""
        return self._of(optimizer).times

    def leaves(self) -> list[Leaf]:
        """Every leaf that is still known by its tensor."""
        return list(self._leaves.values())

    def _own(self, steps: _Steps, held: list[torch.Tensor]) -> list[Leaf]:
        """An optimizer has these; those that no gradient has reached get their names."""
        found = [self.leaf(one) for one in held]
        for leaf, tensor in zip(found, held, strict=True):
            leaf.owned, leaf.stepped = True, leaf.stepped or steps.times > 0
            if not leaf.reached and leaf.name is None and steps.times == 1:
                leaf.name = name_of(tensor, self._told.sites)
        steps.leaves = found
        return found

    def _of(self, optimizer: Optimizer) -> _Steps:
        known = self._steps.get(id(optimizer))
        if known is not None and known.optimizer() is not optimizer:
            self._gone.append(known)
            known = None
        if known is None:
            known = self._steps[id(optimizer)] = _Steps(ref(optimizer), None)
        return known

    def leaf(self, tensor: torch.Tensor) -> Leaf:
        """What is known of a leaf."""
        known = self._leaves.get(id(tensor))
        if known is None or known.tensor() is not tensor:
            is_parameter = isinstance(tensor, torch.nn.Parameter)
            known = self._leaves[id(tensor)] = Leaf(ref(tensor), is_parameter=is_parameter)
        return known


def _begins(closure: CodeType | None) -> Iterator[Noted]:
    """The line that defines a closure, if there is one."""
    if closure is not None:
        place = line(str(Path(closure.co_filename).absolute()), closure.co_firstlineno)
        yield Noted(place, "this closure is to compute the gradients")
